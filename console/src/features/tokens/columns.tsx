import { chakra, Flex } from '@chakra-ui/react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Token } from '../../core/contract.ts'
import { QuotaCell, useUnitName } from '../../parts/quota.tsx'
import { RowMenu } from '../../parts/table/row-menu.tsx'
import { columnHelper } from '../../parts/table/table-features.ts'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { TokenKey } from './token-key.tsx'
import { tokenState } from './token-status.ts'

/** What can be done with one token. */
export type TokenAction = 'edit' | 'connect' | 'toggle' | 'delete'

const column = columnHelper<Token>()

/** The columns of the token list; `act` is told what was chosen for which token. */
export function useTokenColumns(act: (action: TokenAction, token: Token) => void) {
  const { t } = useTranslation()
  const unit = useUnitName()
  return useMemo(
    () =>
      column.columns([
        column.accessor('name', {
          header: t('tokens.name'),
          meta: {
            width: 130,
            isGrowing: true,
            phone: 'title',
            sortBy: (token: Token) => token.name,
          },
          cell: ({ row }) => <chakra.span fontWeight="500">{row.original.name}</chakra.span>,
        }),
        column.accessor('status', {
          header: t('tokens.status'),
          meta: { width: 90, phone: 'meta', sortBy: (token: Token) => token.status },
          cell: ({ row }) => <State token={row.original} />,
        }),
        column.accessor('key', {
          header: t('tokens.key'),
          meta: { width: 190 },
          cell: ({ row }) => <TokenKey value={row.original.key} name={row.original.name} />,
        }),
        column.accessor('used_quota', {
          header: t('tokens.used', { unit }),
          meta: {
            align: 'end',
            width: 110,
            phone: 'meta',
            sortBy: (token: Token) => token.used_quota,
          },
          cell: ({ row }) => <QuotaCell value={row.original.used_quota} />,
        }),
        column.accessor('remain_quota', {
          header: t('tokens.remaining', { unit }),
          meta: {
            align: 'end',
            width: 110,
            phone: 'value',
            sortBy: (token: Token) => (token.unlimited_quota ? Infinity : token.remain_quota),
          },
          cell: ({ row }) =>
            row.original.unlimited_quota ? (
              t('tokens.unlimited')
            ) : (
              <QuotaCell value={row.original.remain_quota} />
            ),
        }),
        column.accessor('group', {
          header: t('tokens.group'),
          meta: { width: 96, sortBy: (token: Token) => token.group },
          cell: ({ row }) =>
            row.original.group || (
              <chakra.span color="fg.muted">{t('tokens.ownGroup')}</chakra.span>
            ),
        }),
        column.accessor('created_time', {
          header: t('tokens.created'),
          meta: { width: 172, sortBy: (token: Token) => token.created_time },
          cell: ({ row }) => <Time seconds={row.original.created_time} />,
        }),
        column.accessor('expired_time', {
          header: t('tokens.expires'),
          meta: { width: 172, sortBy: (token: Token) => token.expired_time },
          cell: ({ row }) =>
            row.original.expired_time > 0 ? (
              <Time seconds={row.original.expired_time} />
            ) : (
              t('tokens.never')
            ),
        }),
        column.display({
          id: 'operate',
          header: () => <chakra.span srOnly>{t('tokens.actions')}</chakra.span>,
          meta: { align: 'end', width: 52, pinned: 'end', phone: 'actions' },
          cell: ({ row }) => <Actions token={row.original} act={act} />,
        }),
      ]),
    [t, unit, act],
  )
}

function State({ token }: { token: Token }) {
  const { t } = useTranslation()
  const { name, tone } = tokenState(token)
  const hint = token.model_limits_enabled ? token.model_limits.replaceAll(',', '\n') : undefined
  return (
    <Tag tone={tone} hint={hint}>
      {t(`tokens.state_${name}`)}
    </Tag>
  )
}

function Actions({
  token,
  act,
}: {
  token: Token
  act: (action: TokenAction, token: Token) => void
}) {
  const { t } = useTranslation()
  const entries = [
    ['connect', t('tokens.connect')],
    ['edit', t('action.edit')],
    ['toggle', token.status === 1 ? t('action.disable') : t('action.enable')],
    ['delete', t('action.delete')],
  ] as const
  return (
    <Flex justify="flex-end">
      <RowMenu
        label={t('tokens.actionsOf', { name: token.name })}
        entries={entries}
        act={(action) => act(action, token)}
      />
    </Flex>
  )
}
