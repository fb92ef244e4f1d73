import { chakra } from '@chakra-ui/react'
import { useMutation } from '@tanstack/react-query'
import { ChevronDown, Download } from 'lucide-react'
import { type ComponentProps, lazy } from 'react'
import { useTranslation } from 'react-i18next'
import { getFile, type Query } from '../core/api.ts'
import { BusyButton } from './busy-button.tsx'
import { OnDemand } from './on-demand.tsx'
import { saveFile } from './save-file.ts'

const load = () => import('./menu-popup.tsx')
const MenuPopup = lazy(load)

/** Saves what is filtered as a ZIP with a manifest: a menu of the formats that it may have, and of all together. */
export function ArchiveMenu(props: {
  /** Formats as the API names them, each with its text. */
  formats: readonly (readonly [string, string])[]
  /** Asked at the choice, so that a period up to now ends then. */
  at: (formats: string) => { path: string; query: Query }
  /** Name of the file without its ending; asked when the file has come. */
  name: () => string
  css?: ComponentProps<typeof BusyButton>['css']
}) {
  const { t } = useTranslation()
  const save = useMutation({
    mutationFn: (formats: string) => {
      const { path, query } = props.at(formats)
      return getFile(path, query, 'application/zip')
    },
    onSuccess: (file) => saveFile(`${props.name()}.zip`, file),
  })
  const all = props.formats.map(([format]) => format).join(',')
  const button = (
    <BusyButton
      size="sm"
      variant="outline"
      isBusy={save.isPending}
      aria-label={t('list.archive')}
      {...(props.css === undefined ? {} : { css: props.css })}
    >
      <Download size={15} aria-hidden />
      <chakra.span hideBelow="sm">{t('list.archive')}</chakra.span>
      <chakra.span hideBelow="sm">
        <ChevronDown size={13} aria-hidden />
      </chakra.span>
    </BusyButton>
  )
  return (
    <OnDemand button={button} kind="menu" load={load}>
      {(opened) => (
        <MenuPopup
          button={opened}
          entries={[...props.formats, [all, t('list.archive_all')]]}
          act={(formats) => save.mutate(formats)}
        />
      )}
    </OnDemand>
  )
}
