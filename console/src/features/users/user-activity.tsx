import { Box, Button, Flex, Heading, Stack, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ListedUser } from '../../core/contract.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Facts } from '../../parts/facts.tsx'
import { SessionList } from '../../parts/sessions/session-list.tsx'
import { sessionsQuery, useEndSession } from '../../parts/sessions/use-sessions.ts'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { lastCallQuery } from './queries.ts'

/** When a user below the viewer was last here, where they are signed in, and how that is ended. */
export function UserActivity({ user }: { user: ListedUser }) {
  const { t } = useTranslation()
  const [isAsked, setAsked] = useState(false)
  const query = useQuery(sessionsQuery(user.id))
  const lastCall = useQuery(lastCallQuery(user.username)).data
  const end = useEndSession(user.id, () => setAsked(false))
  const sessions = query.data ?? []
  return (
    <Stack as="section" gap="3" aria-labelledby={`sessions-${user.id}`}>
      <Flex justify="space-between" align="center" gap="3" minH="28px">
        <Heading as="h3" size="xs" id={`sessions-${user.id}`}>
          {t('session.title')}
        </Heading>
        {sessions.length > 1 ? (
          <Button size="xs" variant="outline" onClick={() => setAsked(true)}>
            {t('users.endAll')}
          </Button>
        ) : null}
      </Flex>
      <Facts
        facts={[
          { label: t('users.lastSeen'), value: moment(sessions[0]?.last_seen_at) },
          { label: t('users.lastCall'), value: moment(lastCall?.created_at) },
        ]}
      />
      <Box>
        {query.isPending ? <SkeletonRows rows={1} height="44px" /> : null}
        {query.isError && !query.data ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : null}
        {query.data?.length === 0 ? (
          <Text color="fg.muted">{t('users.noSessions')}</Text>
        ) : (
          <SessionList
            sessions={sessions}
            isBusy={end.isPending}
            onEnd={(session) => end.mutate(session)}
          />
        )}
      </Box>
      {isAsked ? (
        <ConfirmDialog
          isOpen
          isDanger
          title={t('users.ask_endAll', { name: user.username })}
          consequence={t('users.consequence_endAll')}
          confirmLabel={t('users.endAll')}
          isBusy={end.isPending}
          onConfirm={() => end.mutate(null)}
          onClose={() => setAsked(false)}
        />
      ) : null}
    </Stack>
  )
}

const moment = (seconds: number | undefined) =>
  seconds === undefined ? '–' : <Time seconds={seconds} />
