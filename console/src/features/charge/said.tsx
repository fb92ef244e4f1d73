import { chakra, Flex, Stack, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsAdmin } from '../../core/session.ts'
import { type Charge, UPSTREAM_FACTS } from '../../parts/charge/charge.ts'
import type { Fact } from '../../parts/facts.tsx'
import { Facts } from '../../parts/facts.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { grouped } from '../../parts/quota-format.ts'
import { ErrorState, SkeletonRows } from '../../parts/states.tsx'
import { recalculationQuery } from './recalculation-query.ts'
import { type UsageMember, usageMembers } from './usage-members.ts'

/** Upstream's own words: its usage object by its own names, and what else it told of the request. */
export function Said({ charge }: { charge: Charge }) {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  if (!isAdmin) return <Note>{t('charge.saidHidden')}</Note>
  const facts = UPSTREAM_FACTS.flatMap((name): Fact[] => {
    const value = charge.upstream?.[name] ?? ''
    return value === '' ? [] : [{ label: t(`log.upstream.${name}`), value }]
  })
  return (
    <Stack gap="3">
      <OwnUsage requestId={charge.request_id} />
      {facts.length > 0 ? <Facts facts={facts} /> : null}
    </Stack>
  )
}

function OwnUsage({ requestId }: { requestId: string }) {
  const { t } = useTranslation()
  const query = useQuery(recalculationQuery(requestId))
  if (!query.data)
    return query.error ? (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <SkeletonRows rows={3} height="24px" />
    )
  const { upstream: text, counted } = query.data.usage
  if (text === null) return <Note>{t('charge.noUsageCopy')}</Note>
  const members = usageMembers(text)
  if (members !== null)
    return (
      <Stack gap="2">
        <Members members={members} counted={counted} />
        {counted.length > 0 ? <Note>{t('charge.countedNote')}</Note> : null}
      </Stack>
    )
  return (
    <>
      <Note>{t('charge.usageCut')}</Note>
      <JsonView text={text} label={t('charge.ownUsage')} />
    </>
  )
}

/** Names as upstream writes them, however long: they give way to the counts beside them. What was counted stands out. */
function Members(props: { members: readonly UsageMember[]; counted: readonly string[] }) {
  return (
    <chakra.dl display="grid" gap="1.5">
      {props.members.map(({ name, value }) => (
        <Flex
          key={name}
          columnGap="3"
          justify="space-between"
          align="baseline"
          {...(props.counted.includes(name)
            ? { 'data-counted': '', fontWeight: '600' }
            : { color: 'fg.muted' })}
        >
          <chakra.dt minW="0" overflowWrap="anywhere" fontFamily="mono" fontSize="xs">
            {name.split(/(?<=[._])/u).map((part, place) => (
              <Fragment key={place}>
                {part}
                <wbr />
              </Fragment>
            ))}
          </chakra.dt>
          <chakra.dd flexShrink="0" maxW="50%" overflowWrap="anywhere" textAlign="end">
            {valueOf(value)}
          </chakra.dd>
        </Flex>
      ))}
    </chakra.dl>
  )
}

/** Counts of what was not used step back. */
function valueOf(value: UsageMember['value']) {
  if (typeof value !== 'number') return String(value)
  if (value === 0) return <chakra.span color="fg.muted">{value}</chakra.span>
  return Number.isInteger(value) ? grouped(value, 0) : String(value)
}

function Note({ children }: { children: string }) {
  return (
    <Text color="fg.muted" fontSize="sm">
      {children}
    </Text>
  )
}
