import { Button, Flex, Stack } from '@chakra-ui/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { patch, post, remove } from '../../core/api.ts'
import { pathOf } from '../../core/calls.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { CopyTextButton } from '../../parts/copy.tsx'
import { ExportButton } from '../../parts/export-button.tsx'
import { TextField } from '../../parts/fields.tsx'
import { filtered } from '../../parts/list/filters.ts'
import { ListPage } from '../../parts/list/list-page.tsx'
import { useReplayColumns } from './columns.tsx'
import { REPLAY_FILTERS, type ReplaySearch } from './filters.ts'
import { type Replay, replayQuery } from '../../parts/replays/replay-queries.ts'
import { isActive, replaysQuery } from './queries.ts'
import { ReplayFacts } from './replay-facts.tsx'
import { ReplayFilters } from './replay-filters.tsx'
import { ReplayResult } from './replay-result.tsx'
import { ReplayStatus } from './replay-status.tsx'

const ReplayDrawer = lazy(async () => ({
  default: (await import('./replay-drawer.tsx')).ReplayDrawer,
}))

/** Replays: ask for them, follow them, read what they found, delete them. */
export function Replays(props: { search: ReplaySearch; onSearch: (search: ReplaySearch) => void }) {
  const { t } = useTranslation()
  const { search, onSearch } = props
  const columns = useReplayColumns()
  return (
    <ListPage
      name="replays"
      title={t('place.replays')}
      actions={<ExportButton name="replays" list={() => ({ path: '/api/replays', query: {} })} />}
      create={
        <Button size="sm" onClick={() => onSearch({ ...search, add: true })}>
          <Plus size={15} aria-hidden />
          {t('replays.create')}
        </Button>
      }
      filters={REPLAY_FILTERS}
      search={search}
      onSearch={onSearch}
      columns={columns}
      columnsKey="replays-table-columns"
      query={(pageSize) => replaysQuery(search, pageSize)}
      rowId={({ id }) => id}
      empty={{
        title: t('replays.emptyTitle'),
        detail: t('replays.emptyDetail'),
        noneFound: t('replays.emptyTitle'),
      }}
      peek={{
        title: ({ name }) => name,
        render: (replay) => (
          <ReplayPanel
            key={replay.id}
            replay={replay}
            onRemoved={() => onSearch(filtered(search, {}))}
          />
        ),
        find: replayQuery,
      }}
    >
      {search.add ? (
        <Suspense>
          <ReplayDrawer
            revision={search.revision}
            onCreated={(id) => onSearch({ ...filtered(withoutForm(search), {}), row: id })}
            onClose={() => onSearch(withoutForm(search))}
          />
        </Suspense>
      ) : null}
    </ListPage>
  )
}

function withoutForm(search: ReplaySearch): ReplaySearch {
  const { add: _, revision: __, ...kept } = search
  return kept
}

function ReplayPanel({ replay, onRemoved }: { replay: Replay; onRemoved: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [name, setName] = useState(replay.name)
  const [isAsking, setAsking] = useState(false)
  const act = useMutation({
    mutationFn: async (action: 'cancel' | 'rerun' | 'rename' | 'delete') => {
      const one = pathOf('/api/replays/{id}', replay)
      if (action === 'delete') await remove(one)
      else if (action === 'rename') await patch(one, { name })
      else await post(pathOf(`/api/replays/{id}/${action}`, replay))
    },
    onSuccess: (_, action) => {
      if (action === 'delete') onRemoved()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['replays'] }),
  })
  const isRenamed = name.trim() !== '' && name.trim() !== replay.name
  return (
    <Stack gap="4">
      <Flex gap="2" wrap="wrap" align="center">
        <ReplayStatus replay={replay} />
      </Flex>
      <ReplayFacts replay={replay} />
      <ReplayFilters replay={replay} />
      <ReplayResult replay={replay} />
      <Flex gap="2" align="end">
        <TextField label={t('replays.name')} value={name} onChange={setName} />
        <BusyButton
          size="sm"
          variant="outline"
          isBusy={false}
          isLocked={!isRenamed}
          onClick={() => act.mutate('rename')}
        >
          {t('replays.rename')}
        </BusyButton>
      </Flex>
      <Flex gap="2" wrap="wrap">
        {isActive(replay) ? (
          <Button size="sm" variant="outline" onClick={() => act.mutate('cancel')}>
            {t('replays.cancel')}
          </Button>
        ) : (
          <Button size="sm" variant="outline" onClick={() => act.mutate('rerun')}>
            {t('replays.rerun')}
          </Button>
        )}
        {replay.status === 'done' ? (
          <Button size="sm" variant="outline" asChild>
            <Link to="/detail" search={{ source: replay.id }}>
              {t('replays.openInDashboard')}
            </Link>
          </Button>
        ) : null}
        <CopyTextButton text={`${window.location.origin}/replays?row=${replay.id}`}>
          {t('replays.share')}
        </CopyTextButton>
        <Button size="sm" variant="outline" color="fg.error" onClick={() => setAsking(true)}>
          {t('action.delete')}
        </Button>
      </Flex>
      <ConfirmDialog
        isOpen={isAsking}
        isDanger
        title={t('replays.deleteTitle', { name: replay.name })}
        consequence={t('replays.deleteConsequence')}
        confirmLabel={t('action.delete')}
        isBusy={act.isPending}
        onConfirm={() => act.mutate('delete')}
        onClose={() => setAsking(false)}
      />
    </Stack>
  )
}
