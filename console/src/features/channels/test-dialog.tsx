import { Button, Stack, Text } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Channel } from '../../core/contract.ts'
import { preference, setPreference } from '../../core/preferences.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { named } from '../../parts/combobox/choices.ts'
import { ChoiceField } from '../../parts/combobox/combobox-field.tsx'
import { modelsOf } from './impact.ts'
import { testChannel, useChannelChange } from './mutations.ts'
import { DialogFrame } from '../../parts/dialog-frame.tsx'

/** Tests a channel with a model of choice and shows what came of it. */
export function TestDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation()
  const models = modelsOf(channel)
  const last = preference('prompt-channel-test') ?? ''
  const [model, setModel] = useState(
    models.includes(last) ? last : channel.test_model || (models[0] ?? ''),
  )
  const test = useChannelChange(testChannel)
  const run = () => {
    setPreference('prompt-channel-test', model)
    test.mutate({ id: channel.id, model })
  }
  return (
    <DialogFrame
      title={t('channels.testTitle', { name: channel.name })}
      actions={
        <>
          <Button size="sm" variant="outline" onClick={onClose}>
            {t('action.close')}
          </Button>
          <BusyButton size="sm" isBusy={test.isPending} onClick={run}>
            {t('channels.test')}
          </BusyButton>
        </>
      }
      onClose={onClose}
    >
      <Stack gap="3">
        <ChoiceField
          label={t('channels.testModel')}
          value={model}
          onChange={setModel}
          choices={models.map(named)}
        />
        <Text
          aria-live="polite"
          overflowWrap="anywhere"
          color={test.isError ? 'fg.error' : 'fg.success'}
        >
          {test.isError ? test.error.message : null}
          {test.isSuccess
            ? t('channels.testPassed', { seconds: test.data.seconds.toFixed(2) })
            : null}
        </Text>
        {test.data?.remark ? (
          <Text overflowWrap="anywhere" color="fg.warning">
            {test.data.remark}
          </Text>
        ) : null}
      </Stack>
    </DialogFrame>
  )
}
