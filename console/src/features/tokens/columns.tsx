import { chakra, Flex } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import { MessageCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { useContext, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Token } from '../../core/contract.ts'
import { useIsAdmin, useSessionUser } from '../../core/session.ts'
import { clientAddress } from '../../core/last-status.ts'
import { useStatus } from '../../core/status.ts'
import { Money } from '../../parts/money.tsx'
import { Opens } from '../../parts/opens.tsx'
import { QuotaCell, useUnitName, WithoutHeader } from '../../parts/quota.tsx'
import { clientKey } from '../../parts/snippets.ts'
import { RowMenu } from '../../parts/table/row-menu.tsx'
import { columnHelper, TIME_WIDTH } from '../../parts/table/table-features.ts'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { chatLink, chatsOf } from './chat-links.ts'
import { TokenKey } from './token-key.tsx'
import { tokenState } from './token-status.ts'

/** An action on one token. */
export type TokenAction = 'connect' | 'edit' | 'enable' | 'disable' | 'delete'

type Act = (action: TokenAction, token: Token) => void
const column = columnHelper<Token>()

/** The columns of the token list; `act` is told what was chosen for which token. */
export function useTokenColumns(act: Act) {
  const { t } = useTranslation()
  const unit = useUnitName()
  return useMemo(
    () =>
      column.columns([
        column.accessor('name', {
          header: t('tokens.name'),
          meta: {
            width: 100,
            isGrowing: true,
            phone: 'title',
            sortBy: (token: Token) => token.name,
          },
          cell: ({ row }) => <chakra.span fontWeight="500">{row.original.name}</chakra.span>,
        }),
        column.accessor('status', {
          header: t('tokens.status'),
          meta: { width: 130, phone: 'meta', sortBy: (token: Token) => token.status },
          cell: ({ row }) => <State token={row.original} />,
        }),
        column.accessor('key', {
          header: t('tokens.key'),
          meta: { width: 154, isKept: true },
          cell: ({ row }) => <TokenKey value={row.original.key} name={row.original.name} />,
        }),
        column.accessor('used_quota', {
          header: t('tokens.used', { unit }),
          meta: {
            align: 'end',
            width: 104,
            phone: 'meta',
            sortBy: (token: Token) => token.used_quota,
          },
          cell: ({ row }) => (
            <SpendLink token={row.original}>
              <Used value={row.original.used_quota} />
            </SpendLink>
          ),
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
          meta: { width: 80, sortBy: (token: Token) => token.group },
          cell: ({ row }) => row.original.group || <OwnGroup />,
        }),
        column.accessor('created_time', {
          header: t('tokens.created'),
          meta: { width: TIME_WIDTH, sortBy: (token: Token) => token.created_time },
          cell: ({ row }) => <Time seconds={row.original.created_time} />,
        }),
        column.accessor('accessed_time', {
          header: t('tokens.lastUsed'),
          meta: { width: TIME_WIDTH, sortBy: usedAt },
          cell: ({ row }) => <LastUsed token={row.original} />,
        }),
        column.accessor('expired_time', {
          header: t('tokens.expires'),
          meta: {
            width: TIME_WIDTH,
            sortBy: ({ expired_time }: Token) => (expired_time > 0 ? expired_time : Infinity),
          },
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
          meta: { align: 'end', width: 68, pinned: 'end', phone: 'actions' },
          cell: ({ row }) => <Actions token={row.original} act={act} />,
        }),
      ]),
    [t, unit, act],
  )
}

/** A token's spend, with its label where there is no header. */
function Used({ value }: { value: number }) {
  const { t } = useTranslation()
  const isAlone = useContext(WithoutHeader)
  if (!isAlone) return <QuotaCell value={value} />
  return (
    <>
      {t('tokens.usedOf')} <Money value={value} />
    </>
  )
}

/** A token that was never used says the moment it was made. */
const usedAt = ({ used_quota, accessed_time, created_time }: Token): number =>
  used_quota > 0 || accessed_time > created_time ? accessed_time : 0

/** When a token was used last. */
export function LastUsed({ token }: { token: Token }) {
  const { t } = useTranslation()
  const seconds = usedAt(token)
  return seconds > 0 ? (
    <Time seconds={seconds} />
  ) : (
    <chakra.span color="fg.muted">{t('tokens.neverUsed')}</chakra.span>
  )
}

/** A token's spend, as a link to its charges in the log. */
export function SpendLink({ token, children }: { token: Token; children: ReactNode }) {
  const { t } = useTranslation()
  const username = useSessionUser()?.username
  const isAdmin = useIsAdmin()
  return (
    <Opens>
      <Link
        to="/log"
        search={{ type: 2, token: token.name, ...(isAdmin && username ? { username } : {}) }}
        aria-label={t('tokens.openLog', { name: token.name })}
      >
        {children}
      </Link>
    </Opens>
  )
}

/** The group of a token that says none: its user's. */
export function OwnGroup() {
  const { t } = useTranslation()
  const group = useSessionUser()?.group ?? ''
  return (
    <chakra.span color="fg.muted" data-hint={t('tokens.ownGroup', { group })}>
      {group}
    </chakra.span>
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

function Actions({ token, act }: { token: Token; act: Act }) {
  const { t } = useTranslation()
  const isOn = token.status === 1
  const entries = [
    ['connect', t('tokens.connect')],
    ['edit', t('action.edit')],
    [isOn ? 'disable' : 'enable', t(isOn ? 'action.disable' : 'action.enable')],
    ['delete', t('action.delete')],
  ] as const
  return (
    <Flex justify="flex-end">
      <ChatMenu token={token} />
      <RowMenu
        label={t('tokens.actionsOf', { name: token.name })}
        entries={entries}
        act={(action) => act(action, token)}
      />
    </Flex>
  )
}

/** The configured chats with this token's key filled in (seeds, section 2). */
function ChatMenu({ token }: { token: Token }) {
  const { t } = useTranslation()
  const status = useStatus()
  const chats = chatsOf(status, t)
  if (chats.length === 0) return null
  const filledIn = { server: clientAddress(status), key: clientKey(token.key) }
  return (
    <RowMenu
      label={t('tokens.chatWith', { name: token.name })}
      icon={<MessageCircle size={14} />}
      entries={chats.map(([name], index) => [String(index), name] as const)}
      act={(index) => {
        const [, template = ''] = chats[Number(index)] ?? []
        window.open(chatLink(template, filledIn), '_blank', 'noopener')
      }}
    />
  )
}
