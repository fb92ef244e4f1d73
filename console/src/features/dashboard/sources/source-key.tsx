import { useTranslation } from 'react-i18next'
import type { ReplayDimension } from '../../../parts/replays/replay-queries.ts'
import type { LogFilter } from '../log-link.tsx'
import { LogLink } from '../log-link.tsx'
import type { Frame } from './source-queries.ts'

/** The name of a line, which opens the log rows that it is made of. */
export function KeyName(props: {
  dimension: ReplayDimension
  line: { readonly key: string; readonly name: string }
  frame: Frame
}) {
  const { t } = useTranslation()
  const { dimension, frame } = props
  const { key, name } = props.line
  if (dimension === 'token' && key === '0') return t('dashboard.withoutToken')
  const shown = name || (dimension === 'model' || dimension === 'group' ? key : `#${key}`)
  const filter = filterOf(dimension, key, name)
  if (filter === null) return shown
  const bounds = { start: Math.floor(frame.from / 1000), end: Math.ceil(frame.to / 1000) - 1 }
  return <LogLink filter={{ ...bounds, ...filter }}>{shown}</LogLink>
}

function filterOf(dimension: ReplayDimension, key: string, name: string): LogFilter | null {
  if (dimension === 'model') return { model: key }
  if (dimension === 'channel') return key === '0' ? null : { channel: Number(key) }
  if (dimension === 'group' || name === '') return null
  return dimension === 'user' ? { username: name } : { token: name }
}
