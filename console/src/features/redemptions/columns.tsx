import { chakra, Flex } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Redemption } from '../../core/contract.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Opens } from '../../parts/opens.tsx'
import { QuotaCell, useUnitName } from '../../parts/quota.tsx'
import { RowMenu } from '../../parts/table/row-menu.tsx'
import { columnHelper, TIME_WIDTH } from '../../parts/table/table-features.ts'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import type { RedemptionAction } from './redemption-status.ts'
import { redemptionActions, redemptionState } from './redemption-status.ts'

type Act = (action: RedemptionAction, code: Redemption) => void
const column = columnHelper<Redemption>()

/** The columns of the list of codes; `act` is told what was chosen for which code. */
export function useRedemptionColumns(act: Act) {
  const { t } = useTranslation()
  const unit = useUnitName()
  return useMemo(
    () =>
      column.columns([
        column.accessor('id', {
          header: t('redemptions.id'),
          meta: { align: 'end', width: 56, sortBy: (code: Redemption) => code.id },
        }),
        column.accessor('name', {
          header: t('redemptions.name'),
          meta: {
            width: 140,
            isGrowing: true,
            phone: 'title',
            sortBy: (code: Redemption) => code.name,
          },
          cell: ({ row }) => <chakra.span fontWeight="500">{row.original.name}</chakra.span>,
        }),
        column.accessor('key', {
          header: t('redemptions.code'),
          meta: { width: 150, phone: 'meta' },
          cell: ({ row }) => <Code code={row.original} />,
        }),
        column.accessor('status', {
          header: t('redemptions.status'),
          meta: { width: 86, phone: 'meta', sortBy: (code: Redemption) => code.status },
          cell: ({ row }) => <State code={row.original} />,
        }),
        column.accessor('quota', {
          header: t('redemptions.quotaIn', { unit }),
          meta: {
            align: 'end',
            width: 120,
            phone: 'value',
            sortBy: (code: Redemption) => code.quota,
          },
          cell: ({ row }) => <QuotaCell value={row.original.quota} />,
        }),
        column.accessor('created_time', {
          header: t('redemptions.created'),
          meta: {
            width: TIME_WIDTH,
            phone: 'meta',
            sortBy: (code: Redemption) => code.created_time,
          },
          cell: ({ row }) => <Time seconds={row.original.created_time} />,
        }),
        column.accessor('used_user_id', {
          header: t('redemptions.usedBy'),
          meta: { width: 140, sortBy: (code: Redemption) => code.used_username },
          cell: ({ row: { original: code } }) => <RedeemedBy code={code} />,
        }),
        column.accessor('redeemed_time', {
          header: t('redemptions.redeemed'),
          meta: { width: TIME_WIDTH, sortBy: (code: Redemption) => code.redeemed_time },
          cell: ({ row }) => <Time seconds={row.original.redeemed_time} />,
        }),
        column.display({
          id: 'operate',
          header: () => <chakra.span srOnly>{t('redemptions.actions')}</chakra.span>,
          meta: { align: 'end', width: 52, pinned: 'end', phone: 'actions' },
          cell: ({ row }) => <Actions code={row.original} act={act} />,
        }),
      ]),
    [t, unit, act],
  )
}

/** Leads to who has redeemed the code. */
function RedeemedBy({ code }: { code: Redemption }) {
  const { t } = useTranslation()
  if (code.used_user_id === 0) return t('redemptions.nobody')
  return (
    <Opens>
      <Link to="/user" search={{ row: String(code.used_user_id) }}>
        {t('redemptions.user', { id: code.used_user_id, name: code.used_username })}
      </Link>
    </Opens>
  )
}

/** A code, shown in part since it can be redeemed for money; a click copies the whole. */
function Code({ code }: { code: Redemption }) {
  const { t } = useTranslation()
  return (
    <Flex align="center" gap="1">
      <chakra.span fontFamily="mono" fontSize="xs">
        {`${code.key.slice(0, 6)}…${code.key.slice(-4)}`}
      </chakra.span>
      <CopyButton text={code.key} label={t('redemptions.copyCodeOf', { name: code.name })} />
    </Flex>
  )
}

function State({ code }: { code: Redemption }) {
  const { t } = useTranslation()
  const { name, tone } = redemptionState(code)
  return <Tag tone={tone}>{t(`redemptions.state_${name}`)}</Tag>
}

function Actions({ code, act }: { code: Redemption; act: Act }) {
  const { t } = useTranslation()
  return (
    <RowMenu
      label={t('redemptions.actionsOf', { name: code.name })}
      entries={redemptionActions(code).map((action) => [action, t(`action.${action}`)] as const)}
      act={(action) => act(action, code)}
    />
  )
}
