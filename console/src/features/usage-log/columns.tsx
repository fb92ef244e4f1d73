import { chakra } from '@chakra-ui/react'
import { useContext, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Log } from '../../core/contract.ts'
import { UNKNOWN } from '../../parts/money.tsx'
import { OPENS } from '../../parts/opens.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { QuotaCell, useUnitName, WithoutHeader } from '../../parts/quota.tsx'
import { columnHelper } from '../../parts/table/table-features.ts'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { useDuration } from '../../parts/use-duration.ts'
import {
  CHANNEL_TEST,
  detailsOf,
  DURATION_LIMITS,
  durationMs,
  durationTone,
  firstByteMs,
  retryPath,
} from './log-details.ts'
import { logType } from './log-type.ts'
import { useLogWords } from './log-words.ts'

const column = columnHelper<Log>()

/** Looks of cells: a component for each is too slow for hundreds of them. */
const MUTED = { color: 'var(--tg-colors-fg-muted)' } as const
const QUIET = { ...MUTED, fontSize: 'var(--tg-font-sizes-xs)' } as const
const NAME_OF_MODEL = {
  fontFamily: 'var(--tg-fonts-mono)',
  fontSize: 'var(--tg-font-sizes-xs)',
  overflowWrap: 'anywhere',
} as const
const CUT_OFF = {
  maxWidth: '100%',
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
} as const
const TAGS = { display: 'flex', gap: '4px', justifyContent: 'flex-end' } as const
/** Where the tag of a stream's first byte would stand. */
const NO_TAG = { width: '54px', flexShrink: 0 } as const

/**
 * The columns of the usage log; those of administrators are channel, user and retries (seeds, section 2). The server
 * orders the log by time and by nothing else. `onUser` receives the name that was clicked.
 */
export function useLogColumns(onUser: (id: number) => void) {
  const { t } = useTranslation()
  const unit = useUnitName()
  const words = useLogWords()
  return useMemo(
    () =>
      column.columns([
        column.accessor('created_at', {
          id: 'time',
          header: t('log.time'),
          meta: {
            // Date above time where there is no room for both in a line.
            width: 92,
            share: 2,
            isWrapping: true,
            pinned: 'start',
            phone: 'meta',
          },
          cell: ({ row }) => <Time seconds={row.original.created_at} />,
        }),
        column.accessor('type', {
          header: t('log.type'),
          meta: { width: 96 },
          cell: ({ row }) => <Type log={row.original} />,
        }),
        column.accessor('model_name', {
          id: 'model',
          header: t('log.model'),
          meta: {
            width: 124,
            share: 2,
            isWrapping: true,
            phone: 'title',
          },
          cell: ({ row }) => <Model log={row.original} />,
        }),
        column.accessor('channel', {
          header: t('log.channel'),
          meta: { width: 104, share: 1, isWrapping: true },
          cell: ({ row }) => <Channel log={row.original} />,
        }),
        column.accessor('username', {
          header: t('log.username'),
          meta: { width: 86, share: 1, phone: 'meta' },
          cell: ({ row }) => <User log={row.original} onUser={onUser} />,
        }),
        column.accessor('token_name', {
          id: 'token',
          header: t('log.token'),
          meta: { width: 90, share: 1, isWrapping: true, phone: 'meta' },
          cell: ({ row }) => <TokenName name={row.original.token_name} />,
        }),
        column.accessor('group', {
          header: t('log.group'),
          meta: { width: 80, isWrapping: true },
        }),
        column.accessor('prompt_tokens', {
          id: 'prompt',
          header: t('log.prompt'),
          meta: { align: 'end', width: 64, phone: 'meta', isKept: true },
          cell: ({ row }) => <InputTokens log={row.original} />,
        }),
        column.accessor('completion_tokens', {
          id: 'completion',
          header: t('log.completion'),
          meta: { align: 'end', width: 60, isKept: true },
          cell: ({ row }) => tokens(row.original, row.original.completion_tokens),
        }),
        column.accessor('quota', {
          id: 'cost',
          header: t('log.cost', { unit }),
          meta: { align: 'end', width: 82, phone: 'value', isNamed: (log: Log) => log.type !== 2 },
          cell: ({ row }) =>
            row.original.type === 2 ? (
              <QuotaCell value={row.original.quota} />
            ) : (
              <InsteadOfCost log={row.original} />
            ),
        }),
        column.accessor('use_time', {
          header: t('log.useTime'),
          meta: { align: 'end', width: 130, phone: 'meta' },
          cell: ({ row }) => <Durations log={row.original} />,
        }),
        column.display({
          id: 'retry',
          header: t('log.retry'),
          meta: { width: 60 },
          cell: ({ row }) => retryPath(detailsOf(row.original)),
        }),
        column.accessor('content', {
          id: 'details',
          header: t('log.details'),
          meta: { width: 112, share: 6, isWrapping: true },
          cell: ({ row }) => {
            const said = words(row.original)
            return (
              <span style={MUTED} title={said}>
                {said}
              </span>
            )
          },
        }),
      ]),
    [t, unit, words, onUser],
  )
}

const tokens = (log: Log, count: number): string => (log.type === 2 ? grouped(count, 0) : '')

/** The tokens of input; on a phone, which has one place for both, those of output as well. */
function InputTokens({ log }: { log: Log }) {
  const { t } = useTranslation()
  const input = tokens(log, log.prompt_tokens)
  if (!useContext(WithoutHeader) || input === '') return input
  return t('log.inAndOut', { input, output: tokens(log, log.completion_tokens) })
}

function Type({ log }: { log: Log }) {
  const { t } = useTranslation()
  const { name, tone } = logType(log.type)
  const word = t(`log.type_${name}`)
  // Nearly all rows are consumption: colour is for the others.
  return tone === 'neutral' ? <span style={QUIET}>{word}</span> : <Tag tone={tone}>{word}</Tag>
}

function Model({ log }: { log: Log }) {
  const { t } = useTranslation()
  const upstream = detailsOf(log).upstream_model_name
  return (
    <span
      style={NAME_OF_MODEL}
      {...(upstream ? { 'data-hint': t('log.mappedTo', { name: upstream }) } : {})}
    >
      {log.model_name || <Untitled log={log} />}
      {upstream ? ' →' : ''}
    </span>
  )
}

/** On a phone the model is a row's title; a row without one is called by its type. */
function Untitled({ log }: { log: Log }) {
  const { t } = useTranslation()
  return (
    <chakra.span display={{ base: 'inline', sm: 'none' }}>
      {t(`log.type_${logType(log.type).name}`)}
    </chakra.span>
  )
}

/** On a phone a row has no column for its type, and a failed request would look like one that cost nothing. */
function InsteadOfCost({ log }: { log: Log }) {
  if (log.model_name === '') return null
  return (
    <chakra.span display={{ base: 'inline', sm: 'none' }}>
      <Type log={log} />
    </chakra.span>
  )
}

/** Opens who that is. */
function User({ log, onUser }: { log: Log; onUser: (id: number) => void }) {
  const { t } = useTranslation()
  if (log.username === '') return null
  return (
    <button
      type="button"
      className={OPENS}
      data-hint={t('log.showUser')}
      style={CUT_OFF}
      onClick={() => onUser(log.user_id)}
    >
      {log.username}
    </button>
  )
}

/** The name that the server gives channel tests is Chinese; all other names are people's own. */
export function TokenName({ name }: { name: string }) {
  const { t } = useTranslation()
  return name === CHANNEL_TEST ? t('log.channelTest') : name
}

function Channel({ log }: { log: Log }) {
  if (log.channel === 0) return null
  return (
    <span data-hint={log.channel_name || undefined}>
      {log.channel} <span style={MUTED}>{log.channel_name}</span>
    </span>
  )
}

function Durations({ log }: { log: Log }) {
  const { t } = useTranslation()
  const inWords = useDuration()
  const isWithoutHeader = useContext(WithoutHeader)
  if (log.type !== 2 && log.type !== 5) return null
  const took = durationMs(log)
  if (took === null) return isWithoutHeader ? null : UNKNOWN
  const firstByte = firstByteMs(detailsOf(log))
  return (
    <span style={TAGS}>
      <Tag tone={durationTone(took / 1000, DURATION_LIMITS.total)}>{inWords(took)}</Tag>
      {log.is_stream && firstByte !== null ? (
        <Tag
          tone={durationTone(firstByte / 1000, DURATION_LIMITS.firstByte)}
          hint={t('log.firstByte')}
        >
          {inWords(firstByte)}
        </Tag>
      ) : isWithoutHeader ? null : (
        <span style={NO_TAG} />
      )}
    </span>
  )
}
