import { chakra, Flex } from '@chakra-ui/react'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { get } from '../../core/api.ts'
import { LedgerAccountChip } from '../../parts/ledger-account.tsx'
import { Money } from '../../parts/money.tsx'
import { Opens } from '../../parts/opens.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'

/** The postings of a request: its charge, and refunds if there are any. */
const postingsQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['journal', 'of-request', requestId],
    queryFn: async ({ signal }) => {
      const query = { request_id: requestId, limit: 100 }
      const { lines } = await get('/api/ledger/journal', query, signal)
      return lines.toReversed()
    },
  })

/** The postings of a request, each leading to its event; for administrators. */
export function Postings({ requestId }: { requestId: string }) {
  const { t } = useTranslation()
  const postings = useQuery(postingsQuery(requestId))
  if (!postings.data)
    return postings.error ? (
      <ErrorState error={postings.error} onRetry={() => void postings.refetch()} />
    ) : (
      <SkeletonRows rows={2} height="24px" />
    )
  return (
    <chakra.ul listStyleType="none" fontSize="sm">
      {postings.data.map((line) => (
        <chakra.li key={`${line.position}:${line.line}`} py="1">
          <Flex gap="2" wrap="wrap" align="center">
            <LedgerAccountChip account={line.from_account} />
            <span aria-hidden>{'→'}</span>
            <LedgerAccountChip account={line.to_account} />
            <Money value={line.amount} />
            <Opens>
              <Link to="/audit/events/$position" params={{ position: String(line.position) }}>
                {t('charge.event', { position: grouped(line.position, 0) })}
              </Link>
            </Opens>
          </Flex>
        </chakra.li>
      ))}
      <chakra.li pt="1">
        <Opens>
          <Link to="/audit/journal" search={{ request: requestId }}>
            {t('charge.inJournal')}
          </Link>
        </Opens>
      </chakra.li>
    </chakra.ul>
  )
}
