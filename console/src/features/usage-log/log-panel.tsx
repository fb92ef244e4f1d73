import { Box, chakra, Flex, Heading, Stack, Text } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Log } from '../../core/contract.ts'
import { useIsAdmin, useSessionUser } from '../../core/session.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Id } from '../../parts/id.tsx'
import type { Fact } from '../../parts/facts.tsx'
import { Facts } from '../../parts/facts.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Money } from '../../parts/money.tsx'
import { Opens } from '../../parts/opens.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { Time } from '../../parts/time.tsx'
import { AttemptList } from '../../parts/charge/attempt-list.tsx'
import { ChannelLink } from '../../parts/charge/channel-link.tsx'
import { TokenName } from './columns.tsx'
import { ExplainCharge } from './explain-charge.tsx'
import { detailsOf, firstByteMs, isOwnRefusal, retryPath } from './log-details.ts'
import { logType } from './log-type.ts'
import { useLogWords } from './log-words.ts'

/** Everything about one row, each name with a way to what it stands for. */
export default function LogPanel({
  log,
  onUser,
}: {
  log: Log
  /** Shows who the user is; for administrators. */
  onUser: ((id: number) => void) | undefined
}) {
  const { t } = useTranslation()
  const words = useLogWords()(log)
  return (
    <Stack gap="5">
      <LogFacts log={log} onUser={onUser} />
      {words ? (
        <Box>
          <Heading as="h3" size="sm" mb="1">
            {t('log.details')}
          </Heading>
          <Text whiteSpace="pre-wrap" overflowWrap="anywhere">
            {words}
          </Text>
          {log.type === 5 && words !== log.content ? (
            <Text mt="1" fontSize="xs" color="fg.muted" overflowWrap="anywhere">
              {t('log.answered', { message: log.content })}
            </Text>
          ) : null}
        </Box>
      ) : null}
      {log.type === 2 && log.request_id ? <ExplainCharge requestId={log.request_id} /> : null}
      {log.other && log.other !== 'null' ? (
        <chakra.details>
          <chakra.summary cursor="pointer" color="fg.muted" mb="2">
            {t('log.raw')}
          </chakra.summary>
          <JsonView label={t('log.raw')} text={log.other} />
        </chakra.details>
      ) : null}
    </Stack>
  )
}

function LogFacts({ log, onUser }: { log: Log; onUser: ((id: number) => void) | undefined }) {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const details = detailsOf(log)
  const attempts = details.admin_info?.attempts
  const firstByte = firstByteMs(details)
  const marks = (['estimated', 'cancelled', 'cut_short', 'late', 'thinking_lost'] as const).filter(
    (mark) => details[mark],
  )
  const facts: readonly Fact[] = [
    { label: t('log.time'), value: <Time seconds={log.created_at} /> },
    { label: t('log.type'), value: t(`log.type_${logType(log.type).name}`) },
    { label: t('log.username'), value: <UserLink log={log} onUser={onUser} /> },
    { label: t('log.token'), value: log.token_name ? <TokenLink log={log} /> : null },
    { label: t('log.group'), value: log.group },
    {
      label: t('log.model'),
      value: log.model_name ? (
        <Opens>
          <Link to="/log" search={{ model: log.model_name }}>
            {log.model_name}
          </Link>
        </Opens>
      ) : null,
    },
    { label: t('log.upstreamModel'), value: details.upstream_model_name },
    {
      label: t('log.channel'),
      value:
        isAdmin && log.channel ? <ChannelLink id={log.channel} name={log.channel_name} /> : null,
    },
    { label: t('log.retry'), value: attempts ? null : retryPath(details) },
    { label: t('log.attempts'), value: attempts ? <AttemptList attempts={attempts} /> : null },
    {
      label: t('log.tokens'),
      value:
        log.type === 2
          ? t('log.tokensText', {
              prompt: grouped(log.prompt_tokens, 0),
              completion: grouped(log.completion_tokens, 0),
            })
          : null,
    },
    { label: t('log.charge'), value: log.type === 2 ? <Money value={log.quota} /> : null },
    {
      label: t('log.duration'),
      value:
        details.duration_ms === undefined
          ? null
          : t('log.milliseconds', { n: grouped(details.duration_ms, 0) }),
    },
    {
      label: t('log.firstByte'),
      value: firstByte === null ? null : t('log.milliseconds', { n: grouped(firstByte, 0) }),
    },
    {
      label: t('log.answer'),
      value: log.type === 2 ? t(log.is_stream ? 'log.stream' : 'log.whole') : null,
    },
    { label: t('log.reasoning'), value: details.reasoning_effort },
    {
      label: isOwnRefusal(details) ? t('log.ownStatus') : t('log.upstreamStatus'),
      value: details.status_code,
    },
    { label: t('log.errorCode'), value: details.error_code },
    {
      label: t('log.suppressed'),
      value: details.suppressed ? grouped(details.suppressed, 0) : null,
    },
    { label: t('log.marks'), value: marks.map((mark) => t(`log.mark_${mark}`)).join(' · ') },
    {
      label: t('log.requestId'),
      value: log.request_id ? <Id value={log.request_id} label={t('log.copyRequestId')} /> : null,
    },
    { label: t('log.clientRequestId'), value: details.client_request_id },
    { label: t('log.traceId'), value: details.trace_id },
    { label: t('log.event'), value: log.event_id ? <EventLink log={log} /> : null },
  ]
  return <Facts facts={facts} />
}

function UserLink({ log, onUser }: { log: Log; onUser: ((id: number) => void) | undefined }) {
  if (!onUser || !log.username) return log.username
  return (
    <Opens>
      <button type="button" onClick={() => onUser(log.user_id)}>
        {log.username}
      </button>
    </Opens>
  )
}

/** One's own token in the list of tokens; of another's, which no list of ours shows, what it was used for. */
function TokenLink({ log }: { log: Log }) {
  const own = useSessionUser()
  const name = <TokenName name={log.token_name} />
  return (
    <Opens>
      {own?.id === log.user_id && log.token_id > 0 ? (
        <Link to="/token" search={{ keyword: log.token_name }}>
          {name}
        </Link>
      ) : (
        <Link to="/log" search={{ token: log.token_name, username: log.username }}>
          {name}
        </Link>
      )}
    </Opens>
  )
}

/** The event of the ledger, whose address opens this row wherever it is sent. */
function EventLink({ log }: { log: Log }): ReactNode {
  const { t } = useTranslation()
  const { event_id: id, created_at: at } = log
  return (
    <Flex as="span" gap="1" align="flex-start" justify="flex-end">
      <Opens>
        <Link to="/log" search={{ row: id, at }}>
          <chakra.span fontFamily="mono" fontSize="xs">
            {id}
          </chakra.span>
        </Link>
      </Opens>
      <CopyButton text={id} label={t('log.copyEvent')} />
    </Flex>
  )
}
