import { Button, Stack, Text } from '@chakra-ui/react'
import { useTranslation } from 'react-i18next'
import { DialogFrame } from '../../parts/dialog-frame.tsx'
import type { TestOutcome } from './mutations.ts'

/** The result of a new channel's test, which stays until the reader closes it. */
export function TestNotice({ test, onClose }: { test: TestOutcome; onClose: () => void }) {
  const { t } = useTranslation()
  const { model, modelCount: count, failure, remark } = test
  return (
    <DialogFrame
      title={t('channels.outcomeTitle')}
      isModalOnly
      actions={
        <Button size="sm" onClick={onClose}>
          {t('action.close')}
        </Button>
      }
      onClose={onClose}
    >
      <Stack gap="2">
        <Text>{t('channels.savedWith', { count })}</Text>
        <Text overflowWrap="anywhere" color={failure ? 'fg.error' : 'fg.success'}>
          {failure
            ? t('channels.outcomeFailed', { model, reason: failure })
            : t('channels.outcomePassed', { model, seconds: test.seconds.toFixed(2) })}
        </Text>
        {remark ? (
          <Text overflowWrap="anywhere" color="fg.warning">
            {remark}
          </Text>
        ) : null}
      </Stack>
    </DialogFrame>
  )
}
