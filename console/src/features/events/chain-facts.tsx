import { Box, chakra, Flex, Stack, Text } from '@chakra-ui/react'
import { Check, X } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { checkChain } from './check-chain.ts'
import type { EventDetail } from './stored-event.ts'

/** The event's hash, worked out again here, and the link to the event before it. */
export function ChainFacts({ detail }: { detail: EventDetail }) {
  const { t } = useTranslation()
  const { event, previous } = detail
  const check = useMemo(() => checkChain(event, previous), [event, previous])
  return (
    <Stack gap="3">
      <Verdict isGood={check.isOwn} good={t('events.ownGood')} bad={t('events.ownBad')} />
      <Hash label={t('events.hashStored')} hash={check.stored} />
      <Hash label={t('events.hashComputed')} hash={check.computed} />
      <Verdict
        isGood={check.isLinked}
        good={t(previous === null ? 'events.linkFirst' : 'events.linkGood')}
        bad={t('events.linkBad')}
      />
      {previous === null ? null : (
        <>
          <Hash label={t('events.hashFollows')} hash={check.follows} />
          <Hash label={t('events.hashPrevious')} hash={check.previous} />
        </>
      )}
      <Text fontSize="xs" color="fg.muted">
        {t('events.chainNote', { version: check.version ?? '?' })}
      </Text>
    </Stack>
  )
}

function Verdict(props: { isGood: boolean; good: string; bad: string }) {
  return (
    <Flex gap="2" align="center" color={props.isGood ? 'fg.success' : 'fg.error'} fontWeight="600">
      {props.isGood ? <Check size={16} aria-hidden /> : <X size={16} aria-hidden />}
      {props.isGood ? props.good : props.bad}
    </Flex>
  )
}

const Hash = ({ label, hash }: { label: string; hash: string }) => (
  <Box fontSize="xs">
    <chakra.span color="fg.muted">{label}</chakra.span>
    <chakra.code display="block" overflowWrap="anywhere">
      {hash || '–'}
    </chakra.code>
  </Box>
)
