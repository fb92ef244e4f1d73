import { useTranslation } from 'react-i18next'
import { grouped } from './quota-format.ts'

/**
 * Up to where the figures of a report are counted, and whether they can still change: as of now (nothing is asked for)
 * they can, so only the position is said; as of a moment, the position is how far the journal had read.
 */
export function AsOfNote(props: {
  asked: { at?: number | undefined; position?: number | undefined }
  position: number
  isFinal: boolean
}) {
  const { t } = useTranslation()
  const { asked, isFinal } = props
  const position = grouped(props.position, 0)
  if (asked.at === undefined && asked.position === undefined)
    return <>{t('audit.upToNow', { position })}</>
  return (
    <>
      {t(asked.at === undefined ? 'audit.upTo' : 'audit.readUpTo', { position })}
      {' · '}
      {t(isFinal ? 'audit.isFinal' : 'audit.notFinal')}
    </>
  )
}
