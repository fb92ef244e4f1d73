import { Box, Flex, Text } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import type { Session } from '../../core/contract.ts'
import { BusyButton } from '../busy-button.tsx'
import { Tag } from '../tag.tsx'
import { Time } from '../time.tsx'
import { deviceOf } from './device.ts'

/** Where somebody is signed in, each with its end; the viewer's own present session is ended by signing out. */
export function SessionList(props: {
  sessions: readonly Session[]
  isBusy: boolean
  onEnd: (id: string) => void
}) {
  return (
    <Box as="ul" listStyleType="none">
      {props.sessions.map((session) => (
        <Row
          key={session.id}
          session={session}
          isBusy={props.isBusy}
          onEnd={() => props.onEnd(session.id)}
        />
      ))}
    </Box>
  )
}

function Row(props: { session: Session; isBusy: boolean; onEnd: () => void }) {
  const { t } = useTranslation()
  const { session } = props
  const device = deviceOf(session.user_agent) || t('session.unknownDevice')
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
          {session.is_current ? <Tag tone="good">{t('session.current')}</Tag> : null}
        </Flex>
        <Flex columnGap="3" wrap="wrap" color="fg.muted" fontSize="xs">
          {session.ip ? <span>{session.ip}</span> : null}
          <span>
            {t('session.lastSeen')} <Time seconds={session.last_seen_at} />
          </span>
        </Flex>
      </Box>
      {session.is_current ? null : (
        <BusyButton
          size="xs"
          variant="ghost"
          aria-label={t('session.endOf', { device })}
          isBusy={false}
          isLocked={props.isBusy}
          onClick={props.onEnd}
        >
          {t('session.end')}
        </BusyButton>
      )}
    </Flex>
  )
}
