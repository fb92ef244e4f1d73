import { Box, Button, Heading, Stack, Text } from '@chakra-ui/react'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Log } from '../../core/contract.ts'
import { CodeBlock } from '../../parts/markdown/code-block.tsx'
import { Id } from '../../parts/copy.tsx'
import type { Fact } from '../../parts/facts.tsx'
import { Facts } from '../../parts/facts.tsx'
import { SidePanel } from '../../parts/side-panel.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { Money } from '../../parts/money.tsx'
import { Time } from '../../parts/time.tsx'
import { ExplainCharge } from './explain-charge.tsx'
import { detailsOf, firstByteMs, retryPath } from './log-details.ts'
import { logType } from './log-type.ts'

/** Everything about one row, and the way to the rows beside it. */
export function LogPanel(props: {
  log: Log
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { log } = props
  const details = detailsOf(log)
  return (
    <SidePanel
      size="lg"
      title={t('log.panelTitle', { id: log.id })}
      onClose={props.onClose}
      footer={
        <>
          <Button
            size="sm"
            variant="outline"
            disabled={!props.onPrevious}
            onClick={props.onPrevious}
          >
            <ChevronLeft size={15} aria-hidden />
            {t('log.previous')}
          </Button>
          <Button size="sm" variant="outline" disabled={!props.onNext} onClick={props.onNext}>
            {t('log.next')}
            <ChevronRight size={15} aria-hidden />
          </Button>
        </>
      }
    >
      <Stack gap="5">
        <LogFacts log={log} />
        {log.type === 2 && details.explanation ? (
          <ExplainCharge log={log} explanation={details.explanation} />
        ) : null}
        {log.content ? (
          <Box>
            <Heading as="h3" size="sm" mb="1">
              {t('log.details')}
            </Heading>
            <Text whiteSpace="pre-wrap" overflowWrap="anywhere">
              {log.content}
            </Text>
          </Box>
        ) : null}
        {log.other && log.other !== 'null' ? (
          <CodeBlock label={t('log.raw')} code={pretty(log.other)} />
        ) : null}
      </Stack>
    </SidePanel>
  )
}

function LogFacts({ log }: { log: Log }) {
  const { t } = useTranslation()
  const details = detailsOf(log)
  const firstByte = firstByteMs(details)
  const marks = (['estimated', 'cancelled', 'cut_short', 'late'] as const).filter(
    (mark) => details[mark],
  )
  const facts: readonly Fact[] = [
    { label: t('log.time'), value: <Time seconds={log.created_at} /> },
    { label: t('log.type'), value: t(`log.type_${logType(log.type).name}`) },
    {
      label: t('log.requestId'),
      value: log.request_id ? <Id value={log.request_id} label={t('log.copyRequestId')} /> : null,
    },
    {
      label: t('log.event'),
      value: log.event_id ? <Id value={log.event_id} label={t('log.copyEvent')} /> : null,
    },
    { label: t('log.username'), value: log.username },
    { label: t('log.token'), value: log.token_name },
    { label: t('log.group'), value: log.group },
    { label: t('log.model'), value: log.model_name },
    { label: t('log.upstreamModel'), value: details.upstream_model_name },
    {
      label: t('log.channel'),
      value: log.channel ? `${log.channel} ${log.channel_name}`.trim() : null,
    },
    { label: t('log.retry'), value: retryPath(details) },
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
    { label: t('log.reasoning'), value: details.reasoning_effort },
    { label: t('log.status'), value: details.status_code },
    { label: t('log.errorCode'), value: details.error_code },
    { label: t('log.marks'), value: marks.map((mark) => t(`log.mark_${mark}`)).join(', ') },
  ]
  return <Facts facts={facts} />
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    // Damaged details are shown as they are.
    return json
  }
}
