import { Box, Button, Flex, Text } from '@chakra-ui/react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { remove } from '../../core/api.ts'
import { Card } from '../../parts/card.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { deviceOf } from './device.ts'
import type { Session } from './queries.ts'
import { sessionsQuery } from './queries.ts'

/** Where one is signed in, and how that is ended from here. */
export function Sessions() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const query = useQuery(sessionsQuery)
  const end = useMutation({
    mutationFn: (id: string | null) =>
      remove(id === null ? '/api/user/sessions' : `/api/user/sessions/${id}`),
    onSuccess: () => notifySuccess(t('personal.sessionEnded')),
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
  const sessions = query.data ?? []
  return (
    <Card
      title={t('personal.sessions')}
      action={
        sessions.length > 1 ? (
          <Button
            size="xs"
            variant="outline"
            loading={end.isPending}
            onClick={() => end.mutate(null)}
          >
            {t('personal.endOthers')}
          </Button>
        ) : null
      }
    >
      {query.isPending ? <SkeletonRows rows={2} height="44px" /> : null}
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : null}
      <Box as="ul" listStyleType="none">
        {sessions.map((session) => (
          <Row
            key={session.id}
            session={session}
            isBusy={end.isPending}
            onEnd={() => end.mutate(session.id)}
          />
        ))}
      </Box>
    </Card>
  )
}

function Row(props: { session: Session; isBusy: boolean; onEnd: () => void }) {
  const { t } = useTranslation()
  const { session } = props
  const device = deviceOf(session.user_agent) || t('personal.unknownDevice')
  return (
    <Flex
      as="li"
      py="2"
      gap="3"
      justify="space-between"
      align="center"
      borderBottomWidth="1px"
      borderColor="border.muted"
      css={{ '&:last-of-type': { borderBottomWidth: '0' } }}
    >
      <Box minW="0">
        <Flex gap="2" align="center" wrap="wrap">
          <Text fontWeight="500" data-hint={session.user_agent || undefined}>
            {device}
          </Text>
          {session.is_current ? <Tag tone="good">{t('personal.thisSession')}</Tag> : null}
        </Flex>
        <Flex gap="3" wrap="wrap" color="fg.muted" fontSize="xs">
          {session.ip ? <span>{session.ip}</span> : null}
          <span>
            {t('personal.lastSeen')} <Time seconds={session.last_seen_at} />
          </span>
        </Flex>
      </Box>
      {session.is_current ? null : (
        <Button
          size="xs"
          variant="ghost"
          aria-label={t('personal.endSession', { device })}
          disabled={props.isBusy}
          onClick={props.onEnd}
        >
          {t('personal.end')}
        </Button>
      )}
    </Flex>
  )
}
