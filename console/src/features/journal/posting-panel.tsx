import { Box, chakra, Grid, Heading, Stack, Text } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Actor } from '../../parts/actor.tsx'
import { CauseLink } from '../../parts/cause-link.tsx'
import { Id } from '../../parts/id.tsx'
import { Facts } from '../../parts/facts.tsx'
import { isOwnAccount, type LedgerAccount } from '../../parts/ledger-accounts.ts'
import { Money } from '../../parts/money.tsx'
import { Opens } from '../../parts/opens.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { Time } from '../../parts/time.tsx'
import { type JournalLine, postedName } from './journal-line.ts'

/** One posting: both sides as T-accounts, then what its event says. */
export default function PostingPanel({ line }: { line: JournalLine }) {
  const { t } = useTranslation()
  return (
    <Stack gap="5">
      {/* Beside each other where both fit, as in a wide window's panel. */}
      <Grid gap="3" templateColumns="repeat(auto-fit, minmax(min(100%, 230px), 1fr))">
        <TAccount line={line} account={line.from_account} side="debit" />
        <TAccount line={line} account={line.to_account} side="credit" />
      </Grid>
      <Box>
        <Heading as="h3" size="sm" mb="2">
          {t('audit.facts')}
        </Heading>
        <PostingFacts line={line} />
      </Box>
    </Stack>
  )
}

/** One side of a posting: what stands in its column, and what a user's account held before and after. */
function TAccount(props: { line: JournalLine; account: LedgerAccount; side: 'debit' | 'credit' }) {
  const { t } = useTranslation()
  const { line, account, side } = props
  const isOwn = isOwnAccount(account)
  const kind = t(`audit.account_${account}`)
  const name = isOwn
    ? t('audit.accountOf', { account: kind, name: line.username || line.user_id })
    : kind
  const rows = isOwn
    ? ([
        [t('audit.before'), line.before[account], 'balance'],
        [t(`audit.${side}`), line.amount, 'amount'],
        [t('audit.after'), line.after[account], 'balance'],
      ] as const)
    : ([[t(`audit.${side}`), line.amount, 'amount']] as const)
  return (
    <Box>
      <chakra.table
        w="full"
        fontSize="sm"
        fontVariantNumeric="tabular-nums"
        css={{
          '& th, & td': { py: '1', px: '2' },
          '& thead th': { borderBottomWidth: '2px', borderColor: 'fg.muted' },
          '& tbody th': { fontWeight: '400', color: 'fg.muted', textAlign: 'start' },
          '& td': { textAlign: 'end' },
        }}
      >
        <thead>
          <tr>
            <th scope="colgroup" colSpan={2}>
              {name}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([label, value, shown]) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>
                <Money value={value} kind={shown} />
              </td>
            </tr>
          ))}
        </tbody>
      </chakra.table>
      {isOwn ? null : (
        <Text fontSize="xs" color="fg.muted" mt="1">
          <Opens>
            <Link to="/audit/trial-balance" search={{ position: line.position }}>
              {t('audit.sharedAccount')}
            </Link>
          </Opens>
        </Text>
      )}
    </Box>
  )
}

function PostingFacts({ line }: { line: JournalLine }) {
  const { t } = useTranslation()
  const isMoved = line.effective_at !== line.at
  return (
    <Facts
      facts={[
        {
          label: t('audit.position'),
          value: (
            <Opens>
              <Link to="/audit/events/$position" params={{ position: String(line.position) }}>
                {grouped(line.position, 0)}
              </Link>
            </Opens>
          ),
        },
        { label: t('audit.time'), value: <Time seconds={line.at / 1000} /> },
        {
          label: t('audit.effective'),
          value: isMoved ? <Time seconds={line.effective_at / 1000} /> : null,
        },
        {
          label: t('audit.type'),
          value: `${postedName(t, line)} (${t('audit.line', { n: line.line + 1 })})`,
        },
        { label: t('audit.late'), value: line.late ? t('audit.lateDetail') : null },
        {
          label: t('audit.user'),
          value: (
            <Opens>
              <Link to="/user" search={{ keyword: String(line.user_id) }}>
                {t('audit.userLabel', { id: line.user_id, name: line.username })}
              </Link>
            </Opens>
          ),
        },
        { label: t('audit.actor'), value: <Actor of={line} /> },
        { label: t('audit.model'), value: line.model },
        {
          label: t('audit.channel'),
          value: line.channel ? `${line.channel} ${line.channel_name}`.trim() : null,
        },
        {
          label: t('audit.token'),
          value: line.token_id ? `${line.token_id} ${line.token_name}`.trim() : null,
        },
        {
          label: t('audit.request'),
          value: line.request_id ? (
            <Opens>
              <Link to="/audit/charges/$requestId" params={{ requestId: line.request_id }}>
                {line.request_id}
              </Link>
            </Opens>
          ) : null,
        },
        { label: t('audit.reason'), value: line.reason ? <Reason line={line} /> : null },
        { label: t('audit.note'), value: line.note },
        {
          label: t('audit.eventId'),
          value: <Id value={line.event_id} label={t('audit.copyEvent')} />,
        },
      ]}
    />
  )
}

/** Why it was booked; a code, order or invited user is a way to it. */
function Reason({ line }: { line: JournalLine }) {
  const { source, reason, position } = line
  if (!REFERRING.includes(source)) return reason
  // An order is followed by the money paid.
  const reference = source === 'top-up' ? (reason.split(' ', 1)[0] ?? '') : reason
  return (
    <CauseLink source={source} reference={reference} position={position}>
      {reason}
    </CauseLink>
  )
}

/** Sources whose reason names a code, an order or a user. */
const REFERRING: readonly string[] = ['redemption', 'top-up', 'affiliate-reward']
