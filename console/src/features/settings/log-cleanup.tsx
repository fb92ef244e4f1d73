import { Button, Flex } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { TimeField } from '../../parts/form/time-field.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { dateTime, readMoment, momentText } from '../../parts/time-format.ts'
import { useClearLogs } from './queries.ts'
import { Section } from './section.tsx'

const MONTH_SECONDS = 30 * 86_400

/** Clears old rows out of the usage log; open to every administrator. */
export function LogCleanup() {
  const { t } = useTranslation()
  const [before, setBefore] = useState(() =>
    momentText(Math.floor(Date.now() / 1000) - MONTH_SECONDS),
  )
  const [isAsking, setAsking] = useState(false)
  const [isChecked, setChecked] = useState(false)
  const moment = readMoment(before)
  const clear = useClearLogs((count) => {
    setAsking(false)
    notifySuccess(t('settings.cleared', { count }))
  })
  return (
    <Section id="cleanup" title={t('settings.section_cleanup')} help={t('settings.cleanupHelp')}>
      <Flex gap="3" wrap="wrap" align="end" maxW="460px">
        <TimeField
          label={t('settings.cleanupBefore')}
          value={before}
          onChange={setBefore}
          error={isChecked && moment === null ? t('settings.momentMissing') : undefined}
        />
        <Button
          size="sm"
          variant="outline"
          colorPalette="red"
          onClick={() => {
            setChecked(true)
            setAsking(moment !== null)
          }}
        >
          {t('settings.clearLogs')}
        </Button>
      </Flex>
      <ConfirmDialog
        isOpen={isAsking}
        isDanger
        title={t('settings.clearTitle')}
        consequence={t('settings.clearConsequence', { time: dateTime(moment ?? 0) })}
        confirmLabel={t('settings.clearLogs')}
        isBusy={clear.isPending}
        onConfirm={() => moment !== null && clear.mutate(moment)}
        onClose={() => setAsking(false)}
      />
    </Section>
  )
}
