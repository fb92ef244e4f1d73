import { Button, Flex, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Channel } from '../../core/contract.ts'
import { usePreference } from '../../core/preferences.ts'
import { ColumnSettings, useColumnVisibility } from '../../parts/table/column-settings.tsx'
import type { Selection } from '../../parts/table/data-table.tsx'
import { DataTable } from '../../parts/table/data-table.tsx'
import { Freshness } from '../../parts/freshness.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { Page, Panel } from '../../parts/page.tsx'
import { Pager, pageSizeOf } from '../../parts/table/pager.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { AllChannelsMenu, ChannelFilters } from './channel-tool-bar.tsx'
import type { ChannelAction } from './columns.tsx'
import { useChannelColumns } from './columns.tsx'
import type { ChannelSearch } from './filters.ts'
import { isSearching } from './filters.ts'
import {
  patchChannel,
  readBalance,
  setStatuses,
  testChannel,
  useChannelChange,
} from './mutations.ts'
import { channelsQuery } from './queries.ts'

const ChannelDrawer = lazy(async () => ({
  default: (await import('./channel-drawer.tsx')).ChannelDrawer,
}))
const OffDialog = lazy(async () => ({ default: (await import('./off-dialog.tsx')).OffDialog }))
const TagDialog = lazy(async () => ({ default: (await import('./tag-dialog.tsx')).TagDialog }))
const TagGroups = lazy(async () => ({ default: (await import('./tag-groups.tsx')).TagGroups }))
const TestDialog = lazy(async () => ({ default: (await import('./test-dialog.tsx')).TestDialog }))

type Opened =
  | { readonly type: 'add' }
  | { readonly type: 'edit' | 'copy' | 'testWith'; readonly channel: Channel }
  | { readonly type: 'disable' | 'delete'; readonly channels: readonly Channel[] }
  | { readonly type: 'tag'; readonly ids: readonly number[] }

const COLUMNS = [
  'id',
  'name',
  'group',
  'type',
  'status',
  'response_time',
  'used_quota',
  'balance',
  'priority',
  'weight',
  'tag',
  'operate',
] as const

interface ChannelsProps {
  readonly search: ChannelSearch
  readonly onSearch: (search: ChannelSearch) => void
}

/** The upstream channels: which there are, how they fare, and everything that can be done with them. */
export function Channels(props: ChannelsProps) {
  const { t } = useTranslation()
  const { search, onSearch } = props
  const [storedSize, storeSize] = usePreference('page-size', '10')
  const [byId, setById] = usePreference('id-sort', 'false')
  const [byTag, setByTag] = usePreference('enable-tag-mode', 'false')
  const [visibility, setVisible] = useColumnVisibility('channels-table-columns', { tag: false })
  const pageSize = pageSizeOf(search.size ?? storedSize)
  const isByTag = byTag === 'true'
  const channels = useQuery(channelsQuery(search, { pageSize, isById: byId === 'true', isByTag }))
  const [opened, setOpened] = useState<Opened | null>(null)
  const [selection, setSelection] = useState<Selection>({})
  const columns = useChannelColumns(useAct(setOpened))
  const selected = (channels.data ?? []).filter((channel) => selection[String(channel.id)])
  const add = (
    <Button size="sm" onClick={() => setOpened({ type: 'add' })}>
      <Plus size={15} aria-hidden />
      {t('channels.add')}
    </Button>
  )
  const empty = isSearching(search) ? (
    <EmptyState
      title={t('channels.noneFound')}
      action={
        <Button size="xs" variant="outline" onClick={() => onSearch({})}>
          {t('action.reset')}
        </Button>
      }
    />
  ) : (
    <EmptyState
      title={isByTag ? t('channels.noTags') : t('channels.emptyTitle')}
      detail={t('channels.emptyDetail')}
      action={add}
    />
  )
  const table = (rows: readonly Channel[] | undefined) => (
    <DataTable
      label={t('place.channels')}
      columns={columns}
      rows={rows}
      rowId={(channel) => String(channel.id)}
      error={channels.error}
      onRetry={() => void channels.refetch()}
      hiddenColumns={visibility}
      selection={selection}
      onSelection={setSelection}
      empty={empty}
    />
  )
  return (
    <Page
      title={t('place.channels')}
      actions={
        <>
          <AllChannelsMenu />
          {add}
        </>
      }
    >
      <Panel>
        <Flex
          gap="2"
          p="2.5"
          wrap="wrap"
          align="center"
          borderBottomWidth="1px"
          borderColor="border"
        >
          <ChannelFilters
            search={search}
            onSearch={onSearch}
            isById={byId === 'true'}
            onById={(isOn) => setById(String(isOn))}
            isByTag={isByTag}
            onByTag={(isOn) => setByTag(String(isOn))}
          />
          <Flex flex="1" justify="flex-end" gap="2" align="center">
            <ColumnSettings
              columns={COLUMNS.map((id) => ({ id, label: t(`channels.column_${id}`) }))}
              visibility={visibility}
              onChange={setVisible}
            />
            <Freshness
              readAt={channels.dataUpdatedAt}
              isReading={channels.isFetching}
              onRefresh={() => void channels.refetch()}
            />
          </Flex>
        </Flex>
        {selected.length > 0 ? (
          <BulkBar selected={selected} onOpen={setOpened} onDone={() => setSelection({})} />
        ) : null}
        {isByTag && channels.data && channels.data.length > 0 ? (
          <Suspense>
            <TagGroups channels={channels.data} render={table} />
          </Suspense>
        ) : (
          table(channels.data)
        )}
        {isSearching(search) ? null : (
          <Pager
            page={search.p ?? 1}
            pageSize={pageSize}
            shown={
              isByTag
                ? new Set(channels.data?.map((channel) => channel.tag)).size
                : (channels.data?.length ?? 0)
            }
            onPage={(p) => onSearch({ ...search, p })}
            onPageSize={(size) => {
              storeSize(String(size))
              onSearch({ ...search, size, p: 1 })
            }}
          />
        )}
      </Panel>
      <Suspense>
        {opened ? (
          <OpenedView
            opened={opened}
            onClose={() => setOpened(null)}
            onDone={() => {
              setSelection({})
              setOpened(null)
            }}
          />
        ) : null}
      </Suspense>
    </Page>
  )
}

/** Runs what a row asks for at once, or opens the view that asks first. */
function useAct(open: (opened: Opened) => void): (action: ChannelAction) => void {
  const { t } = useTranslation()
  const patch = useChannelChange(patchChannel).mutate
  const test = useChannelChange(testChannel, ({ seconds, remark }) =>
    notifySuccess(
      [t('channels.testPassed', { seconds: seconds.toFixed(2) }), remark].join('\n').trim(),
    ),
  ).mutate
  const balance = useChannelChange(readBalance, () =>
    notifySuccess(t('channels.balanceRead')),
  ).mutate
  return useCallback(
    (action) => {
      const { channel } = action
      switch (action.type) {
        case 'test':
          return test({ id: channel.id })
        case 'balance':
          return balance(channel.id)
        case 'enable':
          return patch({ id: channel.id, status: 1 })
        case 'priority':
        case 'weight':
          return patch({ id: channel.id, [action.type]: action.value })
        case 'disable':
        case 'delete':
          return open({ type: action.type, channels: [channel] })
        case 'testWith':
        case 'edit':
        case 'copy':
          return open({ type: action.type, channel })
      }
    },
    [open, patch, test, balance],
  )
}

function BulkBar(props: {
  selected: readonly Channel[]
  onOpen: (opened: Opened) => void
  onDone: () => void
}) {
  const { t } = useTranslation()
  const { selected, onOpen } = props
  const ids = selected.map((channel) => channel.id)
  const enable = useChannelChange(setStatuses, props.onDone)
  return (
    <Flex align="center" gap="2" px="3" py="1.5" wrap="wrap" bg="teal.subtle" color="teal.fg">
      <Text me="auto">{t('table.selected', { n: ids.length })}</Text>
      <Button
        size="2xs"
        variant="outline"
        loading={enable.isPending}
        onClick={() => enable.mutate({ ids, status: 1 })}
      >
        {t('action.enable')}
      </Button>
      <Button
        size="2xs"
        variant="outline"
        onClick={() => onOpen({ type: 'disable', channels: selected })}
      >
        {t('action.disable')}
      </Button>
      <Button size="2xs" variant="outline" onClick={() => onOpen({ type: 'tag', ids })}>
        {t('channels.setTag')}
      </Button>
      <Button
        size="2xs"
        colorPalette="red"
        onClick={() => onOpen({ type: 'delete', channels: selected })}
      >
        {t('action.delete')}
      </Button>
    </Flex>
  )
}

function OpenedView({
  opened,
  onClose,
  onDone,
}: {
  opened: Opened
  onClose: () => void
  onDone: () => void
}) {
  switch (opened.type) {
    case 'add':
      return <ChannelDrawer mode="add" channel={null} onClose={onClose} />
    case 'edit':
    case 'copy':
      return <ChannelDrawer mode={opened.type} channel={opened.channel} onClose={onClose} />
    case 'testWith':
      return <TestDialog channel={opened.channel} onClose={onClose} />
    case 'disable':
    case 'delete':
      return (
        <OffDialog
          kind={opened.type}
          channels={opened.channels}
          onDone={onDone}
          onClose={onClose}
        />
      )
    case 'tag':
      return <TagDialog ids={opened.ids} onDone={onDone} onClose={onClose} />
    default:
      return opened satisfies never
  }
}
