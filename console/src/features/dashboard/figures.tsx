import { Box, chakra, Grid } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { selfQuery } from '../../core/status.ts'
import { Panel } from '../../parts/page.tsx'
import { Money } from '../../parts/money.tsx'
import { Count } from '../../parts/count.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { LogLink } from './log-link.tsx'
import type { RangeUse } from './queries.ts'
import { totalUse } from './series.ts'

/**
 * The account's own standing, what was used in the range and its averages a minute, and today, as one strip of
 * figures. A dash stands where a figure has not arrived. `whose` says whose use that is where it is not the account's
 * own; a `username` narrows the links to the log as well.
 */
export function Figures(props: UseFigures & { today: RangeUse | undefined }) {
  return (
    <Panel mb="4">
      <Grid as="dl" templateColumns={{ base: '1fr 1fr', md: 'repeat(4, 1fr)' }}>
        <AccountFigures />
        <TodayFigure {...props} />
        <RangeFigures {...props} />
      </Grid>
    </Panel>
  )
}

interface UseFigures {
  readonly use: RangeUse | undefined
  readonly username: string
  readonly whose?: string
}

function AccountFigures() {
  const { t } = useTranslation()
  const self = useQuery(selfQuery).data
  return (
    <>
      <Figure
        label={t('dashboard.available')}
        detail={
          <>
            {t('dashboard.balance')} <Money kind="balance" value={self?.quota} />
            {' · '}
            {t('dashboard.held')} <Money value={self?.held} />
          </>
        }
      >
        <Money kind="balance" value={self ? self.quota - self.held : undefined} />
      </Figure>
      <Figure label={t('dashboard.used')}>
        <Money value={self?.used_quota} />
      </Figure>
      <Figure label={t('dashboard.requests')}>
        <Count value={self?.request_count} />
      </Figure>
    </>
  )
}

function TodayFigure(props: UseFigures & { today: RangeUse | undefined }) {
  const { t } = useTranslation()
  const { today, username, whose } = props
  const use = today ? totalUse(today.rows) : null
  const details = [
    use ? t('dashboard.calls', { n: grouped(use.count, 0) }) : null,
    use ? whose : null,
  ]
  return (
    <Figure label={t('dashboard.today')} detail={details.filter(Boolean).join(' · ')}>
      {use && today ? (
        <LogLink filter={{ start: today.start, ...(username ? { username } : {}) }}>
          <Money value={use.quota} />
        </LogLink>
      ) : null}
    </Figure>
  )
}

function RangeFigures({ use, username, whose }: UseFigures) {
  const { t } = useTranslation()
  const total = use ? totalUse(use.rows) : null
  const minutes = use ? (use.end - use.start) / 60 : 1
  return (
    <>
      <Figure label={t('dashboard.rangeQuota')} detail={whose}>
        {total && use ? (
          <LogLink filter={{ start: use.start, end: use.end, ...(username ? { username } : {}) }}>
            <Money value={total.quota} />
          </LogLink>
        ) : null}
      </Figure>
      <Figure label={t('dashboard.rangeTokens')}>{total ? grouped(total.tokens, 0) : null}</Figure>
      <Figure label={t('dashboard.rangeCalls')}>{total ? grouped(total.count, 0) : null}</Figure>
      <Figure label={t('dashboard.rates')} hint={t('dashboard.ratesHint')}>
        {total ? `${average(total.count / minutes)} / ${average(total.tokens / minutes)}` : null}
      </Figure>
    </>
  )
}

/** Averages a minute have three digits after the point (console API, section 6.1). */
function average(value: number): string {
  return grouped(value, 3)
}

function Figure(props: {
  label: string
  hint?: string
  detail?: ReactNode | undefined
  children: ReactNode
}) {
  return (
    <Box
      px="4"
      py="3"
      minW="0"
      borderColor="border.muted"
      borderBottomWidth={{ base: '1px', md: '0' }}
      css={{ '@media (min-width: 48em)': { '&:nth-of-type(n + 5)': { borderTopWidth: '1px' } } }}
    >
      <chakra.dt fontSize="xs" color="fg.muted" truncate>
        {props.hint ? (
          <chakra.span data-hint={props.hint} tabIndex={0}>
            {props.label}
          </chakra.span>
        ) : (
          props.label
        )}
      </chakra.dt>
      <chakra.dd
        fontSize="lg"
        fontWeight="600"
        lineHeight="1.5"
        letterSpacing="-0.01em"
        fontVariantNumeric="tabular-nums"
        overflowWrap="anywhere"
      >
        {props.children ?? '–'}
      </chakra.dd>
      {props.detail ? (
        <chakra.dd fontSize="xs" color="fg.muted" fontVariantNumeric="tabular-nums">
          {props.detail}
        </chakra.dd>
      ) : null}
    </Box>
  )
}
