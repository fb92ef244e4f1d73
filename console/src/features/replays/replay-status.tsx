import { useTranslation } from 'react-i18next'
import { Tag, type Tone } from '../../parts/tag.tsx'
import type { Replay } from '../../parts/replays/replay-queries.ts'

const TONES: Record<Replay['status'], Tone> = {
  queued: 'neutral',
  running: 'info',
  done: 'good',
  failed: 'bad',
  cancelled: 'warning',
}

/** How a replay stands: of one that runs how far it is and how long it will take, of one that failed why. */
export function ReplayStatus({ replay }: { replay: Replay }) {
  const { t } = useTranslation()
  const problem = useProblem(replay)
  const { status, positions_read: read, positions_to_read: toRead, remaining_ms: left } = replay
  const percent = toRead === null || toRead === 0 ? 0 : Math.floor((read / toRead) * 100)
  const seconds = left === null ? null : Math.ceil(left / 1000)
  return (
    <Tag tone={TONES[status]} hint={problem}>
      {status === 'running' && seconds !== null
        ? t('replays.progress', { percent, seconds })
        : t(`replays.status_${status}`)}
    </Tag>
  )
}

/** Why a replay failed, and what to do; undefined for one that did not. */
export function useProblem({ problem, problem_code: code, rows_max: rows }: Replay) {
  const { t, i18n } = useTranslation()
  if (code === null) return problem ?? undefined
  return t(`replays.failed_${code}`, { rows: rows.toLocaleString(i18n.language) })
}

/** Which prices a replay is at. */
export const PricesOf = ({ replay }: { replay: Replay }) => <>{usePricesName(replay)}</>

/** The same as a text. */
export function usePricesName({ prices }: Pick<Replay, 'prices'>): string {
  const { t } = useTranslation()
  if (typeof prices === 'number') return t('replays.pricesAt', { position: prices })
  return typeof prices === 'object' ? t('replays.pricesDraft') : t(`replays.prices_${prices}`)
}
