import { Button, Flex, Grid, Heading, Text } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Count } from '../../parts/count.tsx'
import { hinted } from '../../parts/hinted.ts'
import { Money, UNKNOWN } from '../../parts/money.tsx'
import { Opens } from '../../parts/opens.tsx'
import { Panel } from '../../parts/page.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { dateTime } from '../../parts/time-format.ts'
import { StatementLink } from '../../parts/statement-link.tsx'
import type { LogFilter } from './log-link.tsx'
import { LogLink } from './log-link.tsx'
import type { Account, RangeUse } from './queries.ts'
import { totalUse } from './series.ts'

/**
 * The balance and all use of one account, under its owner's name. The account is the signed-in user's, or that of the
 * user whose use is chosen. A dash stands where a figure is not known.
 */
export function AccountFigures(props: {
  /** Whose account it is. */
  owner: string
  /** Another user's than the one who looks on. */
  isOther: boolean
  isAdmin: boolean
  account: Account | undefined
  error: Error | null
  onRetry: () => void
}) {
  const { t } = useTranslation()
  const { owner, isOther, isAdmin, account, error } = props
  const wallet = (figure: ReactNode) => {
    if (!account) return figure
    return (
      <Opens>
        {isOther ? (
          <Link to="/user" search={{ row: String(account.id) }}>
            {figure}
          </Link>
        ) : (
          <Link to="/topup">{figure}</Link>
        )}
      </Opens>
    )
  }
  const statement = (figure: ReactNode) =>
    account ? (
      <StatementLink {...(isOther ? { user: account.id } : {})}>{figure}</StatementLink>
    ) : (
      figure
    )
  const log = (figure: ReactNode) =>
    account ? <LogLink filter={isAdmin ? { username: owner } : {}}>{figure}</LogLink> : figure
  return (
    <Strip title={t('dashboard.accountOf', { name: owner })}>
      {error && !account ? (
        <Flex role="alert" align="center" gap="3" px="4" pb="3" wrap="wrap">
          <Text color="fg.error">{error.message}</Text>
          <Button size="2xs" variant="outline" onClick={props.onRetry}>
            {t('action.retry')}
          </Button>
        </Flex>
      ) : (
        <Figures columns={5}>
          <Figure label={t('dashboard.available')} hint={t('dashboard.availableHint')}>
            {wallet(
              <Money kind="balance" value={account ? account.quota - account.held : undefined} />,
            )}
          </Figure>
          <Figure label={t('dashboard.balance')}>
            {statement(<Money kind="balance" value={account?.quota} />)}
          </Figure>
          <Figure label={t('dashboard.held')} hint={t('dashboard.heldHint')}>
            {statement(<Money value={account?.held} />)}
          </Figure>
          <Figure label={t('dashboard.used')}>{log(<Money value={account?.used_quota} />)}</Figure>
          <Figure label={t('dashboard.requests')}>
            {log(<Count value={account?.request_count} />)}
          </Figure>
        </Figures>
      )}
    </Strip>
  )
}

/** Use today and in the range, and its averages a minute, under a title that names the user. */
export function UsageFigures(props: {
  title: string
  use: RangeUse | undefined
  today: RangeUse | undefined
  username: string
}) {
  const { t } = useTranslation()
  const { use, today } = props
  const named = props.username ? { username: props.username } : {}
  const total = use ? totalUse(use.rows) : undefined
  const inRange = (figure: ReactNode) =>
    use ? <LogLink filter={{ start: use.start, end: use.end, ...named }}>{figure}</LogLink> : figure
  const minutes = use ? (use.end - use.start) / 60 : 1
  // Use is summed by hours: a range begins with the hour that its start is in.
  const since = use ? { hint: t('dashboard.averageSince', { time: dateTime(use.start) }) } : {}
  return (
    <Strip title={props.title}>
      <Figures columns={6}>
        <Figure label={t('dashboard.rangeQuota')}>{inRange(<Money value={total?.quota} />)}</Figure>
        <Figure label={t('dashboard.rangeCalls')}>{inRange(<Count value={total?.count} />)}</Figure>
        <Figure label={t('dashboard.rangeTokens')}>
          {inRange(<Count value={total?.tokens} />)}
        </Figure>
        <Figure label={t('dashboard.rpm')} {...since}>
          {inRange(<Average value={total ? total.count / minutes : undefined} />)}
        </Figure>
        <Figure label={t('dashboard.tpm')} {...since}>
          {inRange(<Average value={total ? total.tokens / minutes : undefined} />)}
        </Figure>
        <Figure label={t('dashboard.today')}>
          <Today use={today} filter={named} />
        </Figure>
      </Figures>
    </Strip>
  )
}

function Today({ use, filter }: { use: RangeUse | undefined; filter: LogFilter }) {
  if (!use) return UNKNOWN
  return (
    <LogLink filter={{ start: use.start, ...filter }}>
      <Money value={totalUse(use.rows).quota} />
    </LogLink>
  )
}

/** Few digits to read, and the three after the point that the contract asks for (console API, section 6.1) as a hint. */
function Average({ value }: { value: number | undefined }) {
  if (value === undefined) return UNKNOWN
  return <span data-hint={grouped(value, 3)}>{grouped(value, value >= 10 ? 0 : 2)}</span>
}

/** Said once for all figures: a component for each is too slow on a phone. */
const FIGURES_CSS = {
  '& > div': { px: '4', py: '1.5', minW: '0' },
  '& dt': { fontSize: 'xs', color: 'fg.muted', truncate: true },
  '& dd': {
    fontSize: 'lg',
    fontWeight: '600',
    lineHeight: '1.5',
    letterSpacing: '-0.01em',
    fontVariantNumeric: 'tabular-nums',
    overflowWrap: 'anywhere',
  },
} as const

function Strip({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Panel mb="3" as="section" aria-label={title}>
      <Heading as="h2" size="sm" fontWeight="600" px="4" pt="2.5">
        {title}
      </Heading>
      {children}
    </Panel>
  )
}

function Figures({ columns, children }: { columns: 5 | 6; children: ReactNode }) {
  return (
    <Grid
      as="dl"
      templateColumns={{ base: '1fr 1fr', sm: 'repeat(3, 1fr)', lg: `repeat(${columns}, 1fr)` }}
      pb="1"
      css={FIGURES_CSS}
    >
      {children}
    </Grid>
  )
}

function Figure(props: { label: string; hint?: string; children: ReactNode }) {
  return (
    <div>
      <dt>{props.hint ? <span {...hinted(props.hint)}>{props.label}</span> : props.label}</dt>
      <dd>{props.children}</dd>
    </div>
  )
}
