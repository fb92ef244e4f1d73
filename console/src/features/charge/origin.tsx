import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useIsAdmin, useSessionUser } from '../../core/session.ts'
import type { Charge } from '../../parts/charge/charge.ts'
import { Facts } from '../../parts/facts.tsx'
import { Id } from '../../parts/id.tsx'
import { UNKNOWN } from '../../parts/money.tsx'
import { Opens } from '../../parts/opens.tsx'
import { StatementLink } from '../../parts/statement-link.tsx'
import { Time } from '../../parts/time.tsx'
import { useDuration } from '../../parts/use-duration.ts'
import { recalculationQuery } from './recalculation-query.ts'

/** The user, the token and the times of a request; user and token lead to where they are listed. */
export function Origin({ charge }: { charge: Charge }) {
  const { t } = useTranslation()
  const duration = useDuration()
  const { isPending, data } = useQuery(recalculationQuery(charge.request_id))
  const times = data?.times
  const queuedMs = queuedMsOf(times)
  // Room for what is still read.
  const awaited = isPending ? UNKNOWN : null
  return (
    <Facts
      facts={[
        { label: t('charge.user'), value: <UserLink charge={charge} /> },
        { label: t('charge.token'), value: <TokenLink charge={charge} /> },
        { label: t('charge.model'), value: charge.model },
        {
          label: t('charge.endpoint'),
          value: `${charge.endpoint}${charge.is_stream ? ` · ${t('charge.streamed')}` : ''}`,
        },
        {
          label: t('charge.started'),
          value: times ? <Time seconds={times.started_at / 1000} /> : awaited,
        },
        {
          label: t('charge.queued'),
          value: queuedMs === null ? awaited : duration(queuedMs),
        },
        {
          label: t('charge.firstByte'),
          value: charge.first_byte_ms === null ? null : duration(charge.first_byte_ms),
        },
        { label: t('charge.duration'), value: duration(charge.duration_ms) },
        {
          label: t('charge.ended'),
          value: times ? <Time seconds={times.ended_at / 1000} /> : awaited,
        },
        { label: t('charge.time'), value: <Time seconds={charge.created_at} /> },
        {
          label: t('log.hold'),
          value: <Id value={`${charge.hold} · ${charge.sequence}`} label={t('log.hold')} />,
        },
        {
          label: t('charge.logRow'),
          value: (
            <Opens>
              <Link to="/log" search={{ row: charge.event.id, at: charge.created_at }}>
                {charge.event.id}
              </Link>
            </Opens>
          ),
        },
      ]}
    />
  )
}

interface Times {
  readonly started_at: number
  readonly admitted_at: number | null
}

/** From a request's beginning until its quota was reserved; null where that was not noted, or the clock was set back. */
function queuedMsOf(times: Times | undefined): number | null {
  if (times === undefined || times.admitted_at === null) return null
  const ms = times.admitted_at - times.started_at
  return ms < 0 ? null : ms
}

/** Leads to the account's statement: any for administrators, one's own for others. */
function UserLink({ charge }: { charge: Charge }) {
  const isAdmin = useIsAdmin()
  return (
    <StatementLink {...(isAdmin ? { user: charge.user_id } : {})}>
      {`${charge.user_id} ${charge.username}`.trim()}
    </StatementLink>
  )
}

/** One's own token in the list of tokens; of another's, which no list of ours shows, what it was used for. */
function TokenLink({ charge }: { charge: Charge }) {
  const own = useSessionUser()
  const { token_id: id, token_name: name, username } = charge
  if (name === '') return id === 0 ? null : id
  return (
    <Opens>
      {own?.id === charge.user_id && id > 0 ? (
        <Link to="/token" search={{ keyword: name }}>
          {name}
        </Link>
      ) : (
        <Link to="/log" search={{ token: name, username }}>
          {name}
        </Link>
      )}
    </Opens>
  )
}
