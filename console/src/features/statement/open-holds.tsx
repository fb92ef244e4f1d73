import { chakra, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { EventLink } from '../../parts/event-link.tsx'
import { ExactMoney } from '../../parts/exact-money.tsx'
import { holdsBefore, StatementLink } from '../../parts/statement-link.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { type AsOfPlace, openHoldsQuery } from './queries.ts'

/** The holds that made up what was held as of a moment or position, each with the event that opened it. */
export function OpenHolds({ user, asOf }: { user: number | undefined; asOf: AsOfPlace }) {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const query = useQuery(openHoldsQuery(user, asOf))
  if (!query.data) {
    return query.error ? (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <SkeletonRows rows={2} height="24px" />
    )
  }
  return (
    <>
      <chakra.table
        w="full"
        fontSize="sm"
        fontVariantNumeric="tabular-nums"
        aria-label={t('statement.openHolds')}
        css={{
          '& th, & td': { py: '1', pe: '2', textAlign: 'start', overflowWrap: 'anywhere' },
          '& thead th': { color: 'fg.muted', fontWeight: '500' },
          '& tr': { borderBottomWidth: '1px', borderColor: 'border.muted' },
          '& :is(th, td):last-of-type': { textAlign: 'end', pe: '0' },
        }}
      >
        <thead>
          <tr>
            <th scope="col">{t('statement.heldSince')}</th>
            <th scope="col">{t('statement.filter_token')}</th>
            {isAdmin ? <th scope="col">{t('statement.heldBy')}</th> : null}
            <th scope="col">{t('statement.held')}</th>
          </tr>
        </thead>
        <tbody>
          {query.data.map((hold) => (
            <tr key={hold.position}>
              <td>
                <Time seconds={hold.since / 1000} />
              </td>
              <td>{tokenOf(hold, t('statement.withoutToken'))}</td>
              {isAdmin ? (
                <td>
                  <EventLink position={hold.position} />
                </td>
              ) : null}
              <td>
                <ExactMoney value={hold.remaining} />
              </td>
            </tr>
          ))}
        </tbody>
      </chakra.table>
      {'at' in asOf ? (
        <Text fontSize="xs">
          <StatementLink part={holdsBefore(asOf.at / 1000)} {...(user ? { user } : {})}>
            {t('statement.holdsOfDay')}
          </StatementLink>
        </Text>
      ) : null}
    </>
  )
}

const tokenOf = (
  { token_id: id, token_name: name }: { token_id: number | null; token_name: string },
  none: string,
): string => (id === null ? none : name || String(id))
