import { Flex } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { lazy, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { post } from '../../core/api.ts'
import { usePreference } from '../../core/preferences.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { SwitchField } from '../../parts/choice-fields.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { deleteDisabled, readAllBalances, testAllChannels, useChannelChange } from './mutations.ts'
import { OnDemand } from '../../parts/on-demand.tsx'
import { ENABLED, fewOf } from './impact.ts'
import { allChannelsQuery } from './queries.ts'

/** The layouts of the list, remembered under the local keys of the seeds. */
export function ListModes() {
  const { t } = useTranslation()
  const [byId, setById] = usePreference('id-sort', 'false')
  const [byTag, setByTag] = usePreference('enable-tag-mode', 'false')
  const [batch, setBatch] = usePreference('enable-batch-delete', 'true')
  const modes = [
    [t('channels.byId'), byId, setById],
    [t('channels.byTag'), byTag, setByTag],
    [t('channels.batch'), batch, setBatch],
  ] as const
  return (
    <Flex gap="4" wrap="wrap">
      {modes.map(([label, isOn, set]) => (
        <SwitchField
          key={label}
          label={label}
          isOn={isOn === 'true'}
          onChange={(next) => set(String(next))}
        />
      ))}
    </Flex>
  )
}

const load = () => import('../../parts/menu-popup.tsx')
const Menu = lazy(load)

type Task = 'test' | 'balance' | 'fix' | 'deleteDisabled'

/** The menu of actions on all channels together. */
export function AllChannelsMenu() {
  const { t } = useTranslation()
  const [isAsking, setAsking] = useState(false)
  const test = useChannelChange(testAllChannels, () => notifySuccess(t('channels.testingAll')))
  const balance = useChannelChange(readAllBalances, () => notifySuccess(t('channels.balancesRead')))
  const fix = useChannelChange(
    () => post('/api/channel/fix'),
    (count) => notifySuccess(t('channels.fixed', { count })),
  )
  const clear = useChannelChange(deleteDisabled, (count) => {
    setAsking(false)
    notifySuccess(t('channels.deletedDisabled', { count }))
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
          <BusyButton size="sm" variant="outline" isBusy={balance.isPending}>
            {t('channels.all')}
            <ChevronDown size={14} aria-hidden />
          </BusyButton>
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
      {isAsking ? (
        <DeleteDisabled
          isBusy={clear.isPending}
          onConfirm={() => clear.mutate(undefined)}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  )
}

/** Asks before the channels that are off are deleted, and names them. */
function DeleteDisabled(props: { isBusy: boolean; onConfirm: () => void; onClose: () => void }) {
  const { t } = useTranslation()
  // Read anew: which channels are off may have changed since the list was read.
  const { data, isFetching } = useQuery({ ...allChannelsQuery, staleTime: 0 })
  const off = isFetching ? undefined : data?.filter((channel) => channel.status !== ENABLED)
  const consequence =
    off === undefined
      ? t('channels.deleteDisabledText')
      : off.length === 0
        ? t('channels.noneDisabled')
        : t('channels.deleteDisabledThese', {
            count: off.length,
            names: fewOf(off.map(({ name }) => name)),
          })
  return (
    <ConfirmDialog
      isOpen
      isDanger
      title={t('channels.deleteDisabled')}
      consequence={consequence}
      confirmLabel={t('action.delete')}
      isDisabled={off?.length === 0}
      {...props}
    />
  )
}
