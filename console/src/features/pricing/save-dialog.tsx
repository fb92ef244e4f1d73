import { Stack, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ChangedPrices } from '../../core/options.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { CancelButton, DialogFrame } from '../../parts/dialog-frame.tsx'
import { SelectField } from '../../parts/choice-fields.tsx'
import { TextField } from '../../parts/fields.tsx'
import { useGuarded, useLeaveGuard } from '../../parts/form/leave-guard.tsx'
import { TimeField } from '../../parts/form/time-field.tsx'
import { readMoment } from '../../parts/time-format.ts'
import { changeLines } from './change-lines.ts'
import { previewQuery, useSavePrices } from './price-mutations.ts'
import { PricePreview } from './price-preview.tsx'

const NOTE_CHARACTERS = 500
const WHEN = ['now', 'later'] as const

/**
 * The dialog that saves changed prices as one revision. It shows the changes and their effect on the charges of
 * yesterday and of the last week, and asks from when on they hold.
 */
export default function SaveDialog(props: {
  prices: ChangedPrices
  onSaved: () => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { options, base } = props.prices
  const [when, setWhen] = useState<string>('now')
  const [moment, setMoment] = useState('')
  const [note, setNote] = useState('')
  const [isMissing, setMissing] = useState(false)
  const save = useSavePrices(props.onSaved)
  // On leaving the page, the editor behind it asks for both.
  const guard = useLeaveGuard(useGuarded(note !== '' || moment !== ''), () => true)
  const close = () => guard.ask(props.onClose)
  const preview = useQuery(previewQuery(options))
  const isReading = preview.isPending || preview.isPlaceholderData
  const changes = isReading ? undefined : preview.data?.changes
  const at = when === 'later' ? readMoment(moment) : null
  const confirm = () => {
    const isWrong = when === 'later' && (at === null || at * 1_000 <= Date.now())
    setMissing(isWrong)
    if (isWrong) return
    save.mutate({
      options,
      effective_at: at === null ? null : at * 1_000,
      base,
      note: note.trim(),
    })
  }
  return (
    <DialogFrame
      title={t(changes ? 'pricing.saveTitle' : 'pricing.saveTitleUnread', {
        count: changes?.length ?? 0,
      })}
      actions={
        <>
          <CancelButton onClick={close} />
          <BusyButton
            size="sm"
            colorPalette="teal"
            isBusy={save.isPending}
            isLocked={isReading}
            onClick={confirm}
          >
            {t('action.save')}
          </BusyButton>
        </>
      }
      onClose={close}
    >
      <Stack gap="4">
        {changes === undefined ? null : (
          <Text whiteSpace="pre-line" overflowWrap="anywhere">
            {changeLines(changes, t)}
          </Text>
        )}
        <PricePreview options={options} />
        <SelectField
          label={t('pricing.when')}
          options={WHEN.map((value) => ({ value, label: t(`pricing.when_${value}`) }))}
          value={when}
          onChange={setWhen}
        />
        {when === 'later' ? (
          <TimeField
            label={t('pricing.effectiveAt')}
            value={moment}
            onChange={setMoment}
            error={isMissing ? t('pricing.effectiveAhead') : undefined}
          />
        ) : null}
        <TextField
          label={t('pricing.note')}
          value={note}
          onChange={(text) => setNote(text.slice(0, NOTE_CHARACTERS))}
        />
        <Text fontSize="sm" color="fg.muted">
          {t(when === 'later' ? 'pricing.plannedConsequence' : 'pricing.saveConsequence')}
        </Text>
      </Stack>
      {guard.dialog}
    </DialogFrame>
  )
}
