import { Button } from '@chakra-ui/react'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { lazy, Suspense, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Channel } from '../../core/contract.ts'
import { usePreference } from '../../core/preferences.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { ExportButton } from '../../parts/export-button.tsx'
import { filtered } from '../../parts/list/filters.ts'
import { ListPage } from '../../parts/list/list-page.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { SkeletonRows } from '../../parts/states.tsx'
import { useLatest } from '../../parts/use-latest.ts'
import { AllChannelsMenu, ListModes } from './channel-tool-bar.tsx'
import type { ChannelAction } from './columns.tsx'
import { useChannelColumns } from './columns.tsx'
import type { ChannelSearch } from './filters.ts'
import { CHANNEL_FILTERS } from './filters.ts'
import {
  patchChannel,
  readBalance,
  setStatuses,
  testChannel,
  type TestOutcome,
  useChannelChange,
} from './mutations.ts'
import { channelQuery, channelsAt, channelsQuery, isUnpaged } from './queries.ts'

const drawer = () => import('./channel-drawer.tsx')
const AddChannel = lazy(async () => ({ default: (await drawer()).AddChannel }))
const EditChannel = lazy(async () => ({ default: (await drawer()).EditChannel }))
const ChannelPanel = lazy(async () => ({
  default: (await import('./channel-panel.tsx')).ChannelPanel,
}))
const OffDialog = lazy(async () => ({ default: (await import('./off-dialog.tsx')).OffDialog }))
const TagDialog = lazy(async () => ({ default: (await import('./tag-dialog.tsx')).TagDialog }))
const TagGroups = lazy(async () => ({ default: (await import('./tag-groups.tsx')).TagGroups }))
const TestNotice = lazy(async () => ({ default: (await import('./test-notice.tsx')).TestNotice }))
const TestDialog = lazy(async () => ({ default: (await import('./test-dialog.tsx')).TestDialog }))

type Opened =
  | { readonly type: 'tested'; readonly test: TestOutcome }
  | { readonly type: 'testWith'; readonly channel: Channel }
  | {
      readonly type: 'disable' | 'delete'
      readonly channels: readonly Channel[]
      readonly clear: () => void
    }
  | { readonly type: 'tag'; readonly ids: readonly number[]; readonly clear: () => void }

interface ChannelsProps {
  readonly search: ChannelSearch
  readonly onSearch: (search: ChannelSearch) => void
}

const NOTHING = () => {}

/** The upstream channels: which there are, how they fare, and everything that can be done with them. */
export function Channels(props: ChannelsProps) {
  const { t } = useTranslation()
  const { search } = props
  const [byId] = usePreference('id-sort', 'false')
  const [byTag] = usePreference('enable-tag-mode', 'false')
  const [batch] = usePreference('enable-batch-delete', 'true')
  const mode = { isById: byId === 'true', isByTag: byTag === 'true' }
  const [opened, setOpened] = useState<Opened | null>(null)
  const act = useAct(props, setOpened)
  const columns = useChannelColumns(act)
  const { add: _, edit: __, copy: ___, ...closed } = search
  // One dialog at a time: what a test said comes when the form has gone.
  const isFormOpen = Boolean(search.add) || search.edit !== undefined || search.copy !== undefined
  const closeForm = () => props.onSearch(closed)
  const onSaved = (id: number, test: TestOutcome | null) => {
    props.onSearch({ ...closed, row: String(id) })
    if (test) setOpened({ type: 'tested', test })
  }
  return (
    <ListPage
      name="channels"
      title={t('place.channels')}
      actions={
        <>
          <ExportButton name="channels" list={() => channelsAt(search, mode)} />
          <AllChannelsMenu />
        </>
      }
      create={
        <Button size="sm" onClick={() => props.onSearch({ ...closed, add: true })}>
          <Plus size={15} aria-hidden />
          {t('channels.add')}
        </Button>
      }
      filters={CHANNEL_FILTERS}
      search={search}
      onSearch={props.onSearch}
      tools={<ListModes />}
      columns={columns}
      columnsKey="channels-table-columns"
      hiddenAtFirst={['tag']}
      query={(pageSize) => channelsQuery(search, mode, pageSize)}
      isUnpaged={isUnpaged(search, mode)}
      rowId={(channel) => String(channel.id)}
      empty={{
        title: t('channels.emptyTitle'),
        detail: t('channels.emptyDetail'),
        noneFound: t('channels.noneFound'),
      }}
      {...(mode.isByTag ? { arrange: underTags } : {})}
      {...(batch === 'true'
        ? {
            renderBulk: (channels: readonly Channel[], clear: () => void) => (
              <Bulk channels={channels} clear={clear} onOpen={setOpened} />
            ),
          }
        : {})}
      peek={{
        title: (channel) => channel.name,
        render: (channel) => (
          <Suspense fallback={<SkeletonRows rows={8} height="20px" />}>
            <ChannelPanel key={channel.id} channel={channel} act={act} />
          </Suspense>
        ),
        find: channelQuery,
      }}
    >
      <Suspense>
        {search.add ? (
          <AddChannel onSaved={onSaved} onClose={closeForm} />
        ) : search.edit !== undefined ? (
          <EditChannel id={search.edit} mode="edit" onSaved={closeForm} onClose={closeForm} />
        ) : search.copy !== undefined ? (
          <EditChannel id={search.copy} mode="copy" onSaved={onSaved} onClose={closeForm} />
        ) : null}
        {opened && !isFormOpen ? (
          <OpenedView
            opened={opened}
            onClose={() => setOpened(null)}
            onDone={() => {
              if ('clear' in opened) opened.clear()
              setOpened(null)
              if (opened.type === 'delete' && search.row !== undefined)
                props.onSearch(filtered(search, {}))
            }}
          />
        ) : null}
      </Suspense>
    </ListPage>
  )
}

/** One table for each tag, and one for the channels without. */
const underTags = (
  rows: readonly Channel[],
  table: (rows: readonly Channel[]) => ReactNode,
): ReactNode => (
  <Suspense>
    <TagGroups channels={rows} render={table} />
  </Suspense>
)

/** Runs what a row asks for at once, or opens the view that asks first. */
function useAct(
  props: ChannelsProps,
  open: (opened: Opened) => void,
): (action: ChannelAction) => void {
  const { t } = useTranslation()
  const latestRef = useLatest(props)
  const patch = useChannelChange(patchChannel, () => notifySuccess(t('form.saved'))).mutate
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
      const { search, onSearch } = latestRef.current
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
          return open({ type: action.type, channels: [channel], clear: NOTHING })
        case 'testWith':
          return open({ type: action.type, channel })
        case 'edit':
        case 'copy':
          return onSearch({ ...search, [action.type]: channel.id })
      }
    },
    [open, patch, test, balance, latestRef],
  )
}

function Bulk(props: {
  channels: readonly Channel[]
  clear: () => void
  onOpen: (opened: Opened) => void
}) {
  const { t } = useTranslation()
  const { channels, clear, onOpen } = props
  const ids = channels.map((channel) => channel.id)
  const enable = useChannelChange(setStatuses, clear)
  return (
    <>
      <BusyButton
        size="2xs"
        variant="outline"
        isBusy={enable.isPending}
        onClick={() => enable.mutate({ ids, status: 1 })}
      >
        {t('action.enable')}
      </BusyButton>
      <Button
        size="2xs"
        variant="outline"
        onClick={() => onOpen({ type: 'disable', channels, clear })}
      >
        {t('action.disable')}
      </Button>
      <Button size="2xs" variant="outline" onClick={() => onOpen({ type: 'tag', ids, clear })}>
        {t('channels.setTag')}
      </Button>
      <Button
        size="2xs"
        colorPalette="red"
        onClick={() => onOpen({ type: 'delete', channels, clear })}
      >
        {t('action.delete')}
      </Button>
    </>
  )
}

function OpenedView(props: { opened: Opened; onClose: () => void; onDone: () => void }) {
  const { opened, onClose, onDone } = props
  switch (opened.type) {
    case 'tested':
      return <TestNotice test={opened.test} onClose={onClose} />
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
