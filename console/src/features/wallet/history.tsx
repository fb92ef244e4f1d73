import { Box, Flex, Stack } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { BusyButton } from '../../parts/busy-button.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'

/** Something that added to the balance: how much and its state, with particulars in a second line. */
export interface HistoryEntry {
  readonly key: string
  readonly title: ReactNode
  readonly state: ReactNode
  readonly details: readonly ReactNode[]
}

/** Entries of which more may be fetched, newest first, the same on a desk and on a phone. */
export function History(props: {
  query: {
    readonly isPending: boolean
    readonly error: unknown
    readonly data: unknown
    readonly refetch: () => unknown
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
  entries: readonly HistoryEntry[]
  emptyTitle: string
  emptyDetail: string
}) {
  const { t } = useTranslation()
  const { query, entries } = props
  if (query.isPending) return <SkeletonRows rows={3} height="48px" />
  if (query.data === undefined)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  if (entries.length === 0)
    return (
      <Box color="fg.muted">
        <Box fontWeight="500">{props.emptyTitle}</Box>
        <Box fontSize="xs">{props.emptyDetail}</Box>
      </Box>
    )
  return (
    <Stack gap="2">
      <Box as="ul" listStyleType="none">
        {entries.map((entry) => (
          <Box
            as="li"
            key={entry.key}
            py="2"
            borderBottomWidth="1px"
            borderColor="border.muted"
            _last={{ borderBottomWidth: '0' }}
          >
            <Flex justify="space-between" gap="3" align="center">
              <Box fontWeight="500">{entry.title}</Box>
              {entry.state}
            </Flex>
            <Flex gap="3" wrap="wrap" color="fg.muted" fontSize="xs" align="center">
              {entry.details.map((detail, index) => (
                // oxlint-disable-next-line react/no-array-index-key -- a detail's place is what it is.
                <Box key={index}>{detail}</Box>
              ))}
            </Flex>
          </Box>
        ))}
      </Box>
      {query.hasNextPage ? (
        <Box>
          <BusyButton
            size="xs"
            variant="outline"
            isBusy={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {t('wallet.more')}
          </BusyButton>
        </Box>
      ) : null}
    </Stack>
  )
}
