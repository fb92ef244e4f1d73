import { Button, chakra, Flex } from '@chakra-ui/react'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Channel } from '../../core/contract.ts'
import { Opens } from '../../parts/opens.tsx'
import { QuotaCell, useUnitName } from '../../parts/quota.tsx'
import { RowMenu } from '../../parts/table/row-menu.tsx'
import { columnHelper } from '../../parts/table/table-features.ts'
import { Tag } from '../../parts/tag.tsx'
import { dateTime } from '../../parts/time-format.ts'
import { balanceText, ResponseTime, State } from './channel-cells.tsx'
import { isPriority, isWeight } from './channel-form.ts'
import { channelType, channelTypeName } from '../../parts/channel-types.ts'
import { InlineNumber } from './inline-number.tsx'

/** An action on a channel, asked for by its row. */
export type ChannelAction =
  | {
      readonly type:
        | 'test'
        | 'testWith'
        | 'balance'
        | 'edit'
        | 'copy'
        | 'enable'
        | 'disable'
        | 'delete'
      readonly channel: Channel
    }
  | { readonly type: 'priority' | 'weight'; readonly channel: Channel; readonly value: number }

type MenuAction = 'testWith' | 'edit' | 'copy' | 'enable' | 'disable' | 'delete'
type Act = (action: ChannelAction) => void
const column = columnHelper<Channel>()

/** The columns of the channel list, under the ids that the column settings are stored by. */
export function useChannelColumns(act: Act) {
  const { t, i18n } = useTranslation()
  const unit = useUnitName()
  const { language } = i18n
  return useMemo(
    () =>
      column.columns([
        column.accessor('id', {
          header: t('channels.id'),
          meta: { align: 'end', width: 48, sortBy: (one: Channel) => one.id },
        }),
        column.accessor('name', {
          header: t('channels.name'),
          meta: { width: 130, isGrowing: true, phone: 'title', sortBy: (one: Channel) => one.name },
          cell: ({ row }) => <chakra.span fontWeight="500">{row.original.name}</chakra.span>,
        }),
        column.accessor('group', {
          header: t('channels.group'),
          meta: { width: 88, isWrapping: true },
          cell: ({ row }) => row.original.group.replaceAll(',', ', '),
        }),
        column.accessor('type', {
          header: t('channels.type'),
          meta: { width: 104, phone: 'meta', sortBy: (one: Channel) => one.type },
          cell: ({ row }) => (
            <Tag palette={channelType(row.original.type).palette}>
              {channelTypeName(row.original.type, language)}
            </Tag>
          ),
        }),
        column.accessor('status', {
          header: t('channels.status'),
          meta: { width: 118, phone: 'meta', sortBy: (one: Channel) => one.status },
          cell: ({ row }) => <State channel={row.original} />,
        }),
        column.accessor('response_time', {
          header: t('channels.responseTime'),
          meta: {
            align: 'end',
            width: 106,
            phone: 'meta',
            sortBy: (one: Channel) => one.response_time,
          },
          cell: ({ row }) => <ResponseTime channel={row.original} />,
        }),
        column.accessor('used_quota', {
          header: t('channels.used', { unit }),
          meta: {
            align: 'end',
            width: 112,
            phone: 'value',
            sortBy: (one: Channel) => one.used_quota,
          },
          cell: ({ row }) => (
            <Opens>
              <Link
                to="/log"
                search={{ type: 2, channel: row.original.id }}
                aria-label={t('channels.openLog', { name: row.original.name })}
              >
                <QuotaCell value={row.original.used_quota} />
              </Link>
            </Opens>
          ),
        }),
        column.accessor('balance', {
          header: t('channels.balanceColumn'),
          meta: { align: 'end', width: 96, sortBy: (one: Channel) => one.balance },
          cell: ({ row }) => <Balance channel={row.original} act={act} />,
        }),
        column.accessor('priority', {
          header: t('channels.priority'),
          meta: { align: 'end', width: 84, sortBy: (one: Channel) => one.priority ?? 0 },
          cell: ({ row }) => (
            <InlineNumber
              label={t('channels.priorityOf', { name: row.original.name })}
              value={row.original.priority ?? 0}
              isValid={isPriority}
              problem={t('channels.error_priority')}
              onSave={(value) => act({ type: 'priority', channel: row.original, value })}
            />
          ),
        }),
        column.accessor('weight', {
          header: t('channels.weight'),
          meta: { align: 'end', width: 84, sortBy: (one: Channel) => one.weight ?? 0 },
          cell: ({ row }) => (
            <InlineNumber
              label={t('channels.weightOf', { name: row.original.name })}
              value={row.original.weight ?? 0}
              isValid={isWeight}
              problem={t('channels.error_weight')}
              onSave={(value) => act({ type: 'weight', channel: row.original, value })}
            />
          ),
        }),
        column.accessor('tag', {
          header: t('channels.tag'),
          meta: { width: 100, sortBy: (one: Channel) => one.tag ?? '' },
          cell: ({ row }) => (row.original.tag ? <Tag>{row.original.tag}</Tag> : null),
        }),
        column.display({
          id: 'operate',
          header: () => <chakra.span srOnly>{t('channels.actions')}</chakra.span>,
          meta: { align: 'end', width: 100, pinned: 'end', phone: 'actions' },
          cell: ({ row }) => <Actions channel={row.original} act={act} />,
        }),
      ]),
    [t, unit, language, act],
  )
}

function Balance({ channel, act }: { channel: Channel; act: Act }) {
  const { t } = useTranslation()
  const isKnown = channel.balance_updated_time > 0
  const hint = isKnown
    ? t('channels.balanceHint', {
        amount: String(channel.balance),
        time: dateTime(channel.balance_updated_time),
      })
    : t('channels.balanceUnknown')
  return (
    <Button
      size="2xs"
      variant="ghost"
      // Its figure ends where the column's header does.
      me="-2"
      fontVariantNumeric="tabular-nums"
      aria-label={t('channels.refreshBalanceOf', { name: channel.name })}
      data-hint={hint}
      onClick={() => act({ type: 'balance', channel })}
    >
      {balanceText(channel)}
    </Button>
  )
}

function Actions({ channel, act }: { channel: Channel; act: Act }) {
  const { t } = useTranslation()
  const entries: readonly (readonly [MenuAction, string])[] = [
    ['testWith', t('channels.testWith')],
    ['edit', t('action.edit')],
    ['copy', t('channels.copy')],
    channel.status === 1 ? ['disable', t('action.disable')] : ['enable', t('action.enable')],
    ['delete', t('action.delete')],
  ]
  return (
    <Flex justify="flex-end" gap="1">
      <Button
        size="2xs"
        variant="outline"
        aria-label={t('channels.testOf', { name: channel.name })}
        onClick={() => act({ type: 'test', channel })}
      >
        {t('channels.test')}
      </Button>
      <RowMenu
        label={t('channels.actionsOf', { name: channel.name })}
        entries={entries}
        act={(type) => act({ type, channel })}
      />
    </Flex>
  )
}
