import { Button, Flex } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { post } from '../../core/api.ts'
import { Select, SwitchField } from '../../parts/fields.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import type { ChannelSearch } from './filters.ts'
import { deleteDisabled, readAllBalances, testAllChannels, useChannelChange } from './mutations.ts'
import { groupsQuery } from './queries.ts'
import { OnDemand } from '../../parts/on-demand.tsx'

/** Search words and the two layouts of the list. */
export function ChannelFilters(props: {
  search: ChannelSearch
  onSearch: (search: ChannelSearch) => void
  isById: boolean
  onById: (isOn: boolean) => void
  isByTag: boolean
  onByTag: (isOn: boolean) => void
}) {
  const { t } = useTranslation()
  const groups = useQuery(groupsQuery).data ?? []
  const { search, onSearch } = props
  const options = [
    { value: '', label: t('channels.anyGroup') },
    ...groups.map((group) => ({ value: group, label: group })),
  ]
  return (
    <>
      <SearchBox
        label={t('channels.searchKeyword')}
        width="190px"
        value={search.keyword ?? ''}
        onSearch={(keyword) => onSearch({ ...search, keyword, p: 1 })}
      />
      <SearchBox
        label={t('channels.searchModel')}
        value={search.model ?? ''}
        onSearch={(model) => onSearch({ ...search, model, p: 1 })}
      />
      <Select
        label={t('channels.group')}
        width="130px"
        value={search.group ?? ''}
        onChange={(group) => onSearch({ ...search, group, p: 1 })}
        options={options}
      />
      <Flex gap="4">
        <SwitchField label={t('channels.byId')} isOn={props.isById} onChange={props.onById} />
        <SwitchField label={t('channels.byTag')} isOn={props.isByTag} onChange={props.onByTag} />
      </Flex>
    </>
  )
}

const load = () => import('../../parts/menu-popup.tsx')
const Menu = lazy(load)
const ConfirmDialog = lazy(async () => ({
  default: (await import('../../parts/confirm-dialog.tsx')).ConfirmDialog,
}))

type Task = 'test' | 'balance' | 'fix' | 'deleteDisabled'

/** What can be done with all channels together. */
export function AllChannelsMenu() {
  const { t } = useTranslation()
  const [isAsking, setAsking] = useState(false)
  const test = useChannelChange(testAllChannels, () => notifySuccess(t('channels.testingAll')))
  const balance = useChannelChange(readAllBalances, () => notifySuccess(t('channels.balancesRead')))
  const fix = useChannelChange(
    () => post<number>('/api/channel/fix'),
    (n) => notifySuccess(t('channels.fixed', { n })),
  )
  const clear = useChannelChange(deleteDisabled, (n) => {
    setAsking(false)
    notifySuccess(t('channels.deletedDisabled', { n }))
  })
  const run: Record<Task, () => void> = {
    test: () => test.mutate(undefined),
    balance: () => balance.mutate(undefined),
    fix: () => fix.mutate(undefined),
    deleteDisabled: () => setAsking(true),
  }
  return (
    <>
      <OnDemand
        kind="menu"
        load={load}
        button={
          <Button size="sm" variant="outline" loading={balance.isPending}>
            {t('channels.all')}
            <ChevronDown size={14} aria-hidden />
          </Button>
        }
      >
        {(button) => (
          <Menu
            button={button}
            entries={[
              ['test', t('channels.testAll')],
              ['balance', t('channels.readBalances')],
              ['fix', t('channels.fix')],
              ['deleteDisabled', t('channels.deleteDisabled')],
            ]}
            act={(task) => run[task as Task]()}
          />
        )}
      </OnDemand>
      <Suspense>
        {isAsking ? (
          <ConfirmDialog
            isOpen
            isDanger
            title={t('channels.deleteDisabled')}
            consequence={t('channels.deleteDisabledText')}
            confirmLabel={t('action.delete')}
            isBusy={clear.isPending}
            onConfirm={() => clear.mutate(undefined)}
            onClose={() => setAsking(false)}
          />
        ) : null}
      </Suspense>
    </>
  )
}
