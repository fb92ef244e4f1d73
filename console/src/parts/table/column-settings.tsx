import { Button, chakra } from '@chakra-ui/react'
import { Columns3 } from 'lucide-react'
import { lazy } from 'react'
import { useTranslation } from 'react-i18next'
import type { PreferenceKey } from '../../core/preferences.ts'
import { usePreference } from '../../core/preferences.ts'
import { OnDemand } from '../on-demand.tsx'

/** Which columns are shown, remembered under the seeds' own local keys as `{ "<column>": true | false }`. */
export function useColumnVisibility(
  key: PreferenceKey,
  defaults: Record<string, boolean>,
): readonly [Record<string, boolean>, (column: string, isShown: boolean) => void] {
  const [stored, store] = usePreference(key, '{}')
  const visibility = { ...defaults, ...parsed(stored) }
  return [
    visibility,
    (column, isShown) => store(JSON.stringify({ ...visibility, [column]: isShown })),
  ]
}

const load = () => import('./columns-menu.tsx')
const Menu = lazy(load)

/** The button that shows and hides columns. */
export function ColumnSettings(props: {
  columns: readonly { readonly id: string; readonly label: string }[]
  visibility: Record<string, boolean>
  onChange: (column: string, isShown: boolean) => void
}) {
  const { t } = useTranslation()
  return (
    <OnDemand
      kind="menu"
      load={load}
      button={
        <Button size="xs" variant="outline" aria-label={t('table.columns')}>
          <Columns3 size={14} aria-hidden />
          <chakra.span hideBelow="lg">{t('table.columns')}</chakra.span>
        </Button>
      }
    >
      {(button) => <Menu button={button} {...props} />}
    </OnDemand>
  )
}

function parsed(text: string): Record<string, boolean> {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? (value as Record<string, boolean>) : {}
  } catch {
    // A damaged entry means the defaults; the next choice overwrites it.
    return {}
  }
}
