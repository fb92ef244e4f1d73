import { chakra } from '@chakra-ui/react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ListedUser } from '../../core/contract.ts'
import { grouped } from '../../parts/quota-format.ts'
import { QuotaCell, useUnitName } from '../../parts/quota.tsx'
import { SPENT, StatementLink } from '../../parts/statement-link.tsx'
import { RowMenu } from '../../parts/table/row-menu.tsx'
import { columnHelper } from '../../parts/table/table-features.ts'
import { GroupTag, RoleTag, UserStatusTag } from '../../parts/users/user-tags.tsx'
import type { UserAction } from './user-actions.ts'
import { userActions } from './user-actions.ts'

type Act = (action: UserAction, user: ListedUser) => void
const column = columnHelper<ListedUser>()

/** The columns of the list of users; `act` is told what was chosen for whom. */
export function useUserColumns(viewerRole: number, act: Act) {
  const { t } = useTranslation()
  const unit = useUnitName()
  return useMemo(
    () =>
      column.columns([
        column.accessor('id', {
          header: t('user.id'),
          meta: { align: 'end', width: 56, sortBy: (user: ListedUser) => user.id },
        }),
        column.accessor('username', {
          header: t('user.username'),
          meta: {
            width: 120,
            isGrowing: true,
            phone: 'title',
            sortBy: (user: ListedUser) => user.username,
          },
          cell: ({ row }) => <Name user={row.original} />,
        }),
        column.accessor('group', {
          header: t('user.group'),
          meta: { width: 92, phone: 'meta', sortBy: (user: ListedUser) => user.group },
          cell: ({ row }) => <GroupTag group={row.original.group} />,
        }),
        column.accessor('quota', {
          header: t('users.balanceIn', { unit }),
          meta: {
            align: 'end',
            width: 124,
            phone: 'value',
            sortBy: (user: ListedUser) => user.quota,
          },
          cell: ({ row: { original: user } }) => (
            <StatementLink user={user.id}>
              <QuotaCell value={user.quota} />
            </StatementLink>
          ),
        }),
        column.accessor('used_quota', {
          header: t('users.spentIn', { unit }),
          meta: { align: 'end', width: 120, sortBy: (user: ListedUser) => user.used_quota },
          cell: ({ row: { original: user } }) => (
            <StatementLink user={user.id} part={SPENT}>
              <QuotaCell value={user.used_quota} />
            </StatementLink>
          ),
        }),
        column.accessor('request_count', {
          header: t('user.requests'),
          meta: { align: 'end', width: 96, sortBy: (user: ListedUser) => user.request_count },
          cell: ({ row }) => grouped(row.original.request_count, 0),
        }),
        column.accessor('aff_count', {
          header: t('user.invited'),
          meta: { align: 'end', width: 84, sortBy: (user: ListedUser) => user.aff_count },
        }),
        column.accessor('aff_history_quota', {
          header: t('users.earnedIn', { unit }),
          meta: {
            align: 'end',
            width: 116,
            sortBy: (user: ListedUser) => user.aff_history_quota,
          },
          cell: ({ row }) => <QuotaCell value={row.original.aff_history_quota} />,
        }),
        column.accessor('inviter_id', {
          header: t('user.inviter'),
          meta: { align: 'end', width: 76 },
          cell: ({ row }) => row.original.inviter_id || t('users.nobody'),
        }),
        column.accessor('role', {
          header: t('user.role'),
          meta: { width: 116, phone: 'meta', sortBy: (user: ListedUser) => user.role },
          cell: ({ row }) => <RoleTag role={row.original.role} />,
        }),
        column.accessor('status', {
          header: t('user.status'),
          meta: { width: 88, phone: 'meta', sortBy: (user: ListedUser) => user.status },
          cell: ({ row }) => <UserStatusTag user={row.original} />,
        }),
        column.display({
          id: 'operate',
          header: () => <chakra.span srOnly>{t('users.actions')}</chakra.span>,
          meta: { align: 'end', width: 52, pinned: 'end', phone: 'actions' },
          cell: ({ row }) => <Actions user={row.original} viewerRole={viewerRole} act={act} />,
        }),
      ]),
    [t, unit, viewerRole, act],
  )
}

function Name({ user }: { user: ListedUser }) {
  return (
    <chakra.span title={user.display_name}>
      <chakra.span fontWeight="500">{user.username}</chakra.span>
      {user.display_name && user.display_name !== user.username ? (
        <chakra.span color="fg.muted"> {user.display_name}</chakra.span>
      ) : null}
    </chakra.span>
  )
}

function Actions(props: { user: ListedUser; viewerRole: number; act: Act }) {
  const { t } = useTranslation()
  const { user } = props
  const actions = userActions(user, props.viewerRole)
  if (actions.length === 0) return null
  return (
    <RowMenu
      label={t('users.actionsOf', { name: user.username })}
      entries={actions.map((action) => [action, t(`users.do_${action}`)] as const)}
      act={(action) => props.act(action, user)}
    />
  )
}
