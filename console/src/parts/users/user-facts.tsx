import { useTranslation } from 'react-i18next'
import type { ListedUser } from '../../core/contract.ts'
import { Count } from '../count.tsx'
import { Facts } from '../facts.tsx'
import { LedgerLinks } from '../ledger-links.tsx'
import { Money } from '../money.tsx'
import { SPENT, StatementLink } from '../statement-link.tsx'
import { GroupTag, RoleTag, UserStatusTag } from './user-tags.tsx'

const BINDINGS = [
  ['email', 'email'],
  ['github', 'github_id'],
  ['oidc', 'oidc_id'],
  ['wechat', 'wechat_id'],
  ['telegram', 'telegram_id'],
  ['linuxdo', 'linux_do_id'],
] as const

/** The facts of a user that administrators see: names, rights, the account, invitations, bound sign-in services. */
export function UserFacts({ user }: { user: ListedUser }) {
  const { t } = useTranslation()
  return (
    <Facts
      facts={[
        { label: t('user.id'), value: user.id },
        { label: t('user.username'), value: user.username },
        { label: t('user.displayName'), value: user.display_name },
        { label: t('user.role'), value: <RoleTag role={user.role} /> },
        { label: t('user.status'), value: <UserStatusTag user={user} /> },
        { label: t('user.group'), value: <GroupTag group={user.group} /> },
        {
          label: t('user.balance'),
          value: (
            <StatementLink user={user.id}>
              <Money value={user.quota} kind="balance" />
            </StatementLink>
          ),
        },
        {
          label: t('user.held'),
          value: user.held > 0 ? <Money value={user.held} /> : null,
        },
        {
          label: t('user.spent'),
          value: (
            <StatementLink user={user.id} part={SPENT}>
              <Money value={user.used_quota} />
            </StatementLink>
          ),
        },
        {
          label: t('ledger.label'),
          value: <LedgerLinks stream={`account-${user.id}`} journal={{ user: user.id }} />,
        },
        { label: t('user.requests'), value: <Count value={user.request_count} /> },
        { label: t('user.invited'), value: <Count value={user.aff_count} /> },
        {
          label: t('user.earned'),
          value: user.aff_history_quota > 0 ? <Money value={user.aff_history_quota} /> : null,
        },
        { label: t('user.inviter'), value: user.inviter_id || null },
        ...BINDINGS.map(([name, field]) => ({
          label: t(`user.bound_${name}`),
          value: user[field],
        })),
      ]}
    />
  )
}
