import { Text } from '@chakra-ui/react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../core/api.ts'
import type { ChangedPrices } from '../../core/options.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { CancelButton, DialogFrame } from '../../parts/dialog-frame.tsx'
import { SelectField } from '../../parts/choice-fields.tsx'
import { TextField } from '../../parts/fields.tsx'
import type { Refusals } from '../../parts/form/form-values.ts'
import { FormView } from '../../parts/form/form-view.tsx'
import { useLeaveGuard } from '../../parts/form/leave-guard.tsx'
import { TimeField } from '../../parts/form/time-field.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { readMoment } from '../../parts/time-format.ts'
import { changeLines } from './change-lines.ts'
import { PRICE_READS, previewQuery, saveRevision } from './price-mutations.ts'
import { PricePreview } from './price-preview.tsx'

interface SaveValues {
  readonly when: string
  /** From when on, as typed. */
  readonly moment: string
  readonly note: string
}

const NOTE_CHARACTERS = 500
const WHEN = ['now', 'later'] as const
const REFUSALS: Refusals<SaveValues> = {
  price_effect_out_of_range: 'moment',
  price_note_too_long: 'note',
}

/**
 * The dialog that saves changed prices as one revision. It shows the changes and their effect on the charges of
 * yesterday and of the last week, and asks from when on they hold.
 */
export default function SaveDialog(props: {
  prices: ChangedPrices
  onSaved: () => void
  /** Others have saved prices since these were typed; the present ones are being read. */
  onConflict?: () => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useQuotaUnit()
  const id = useId()
  const client = useQueryClient()
  const { options, base } = props.prices
  const form = useForm<SaveValues, 'ahead'>({
    initial: { when: 'now', moment: '', note: '' },
    check: (values) => {
      const at = effectiveAt(values)
      return values.when === 'later' && (at === null || at <= Date.now()) ? { moment: 'ahead' } : {}
    },
    say: () => t('pricing.effectiveAhead'),
    // After a conflict the present prices are read, and what was typed stays.
    save: async (values) => {
      try {
        await saveRevision(client, {
          options,
          base,
          effective_at: effectiveAt(values),
          note: values.note.trim(),
        })
      } catch (error) {
        if (error instanceof ApiError && error.code === 'prices_changed') props.onConflict?.()
        throw error
      }
    },
    refresh: PRICE_READS,
    refusals: REFUSALS,
    onSaved: props.onSaved,
  })
  const { when } = form.values
  // On leaving the page, the editor behind it asks for both.
  const guard = useLeaveGuard(form, () => true)
  const close = () => guard.ask(props.onClose)
  const preview = useQuery(previewQuery(options))
  const isReading = preview.isPending || preview.isPlaceholderData
  const changes = isReading ? undefined : preview.data?.changes
  return (
    <DialogFrame
      size="md"
      title={t(changes ? 'pricing.saveTitle' : 'pricing.saveTitleUnread', {
        count: changes?.length ?? 0,
      })}
      actions={
        <>
          <CancelButton onClick={close} />
          <BusyButton
            size="sm"
            type="submit"
            form={id}
            colorPalette="teal"
            isBusy={form.isBusy}
            isLocked={isReading}
          >
            {t('action.save')}
          </BusyButton>
        </>
      }
      onClose={close}
    >
      <FormView id={id} form={form}>
        {changes === undefined ? null : (
          <Text whiteSpace="pre-line" overflowWrap="anywhere">
            {changeLines(changes, t, quotaPerUnit)}
          </Text>
        )}
        <PricePreview options={options} />
        <SelectField
          label={t('pricing.when')}
          options={WHEN.map((value) => ({ value, label: t(`pricing.when_${value}`) }))}
          value={when}
          onChange={(chosen) => form.set({ when: chosen })}
        />
        {when === 'later' ? (
          <TimeField label={t('pricing.effectiveAt')} {...form.text('moment')} />
        ) : null}
        <TextField
          label={t('pricing.note')}
          {...form.text('note')}
          onChange={(text) => form.set({ note: text.slice(0, NOTE_CHARACTERS) })}
        />
        <Text fontSize="sm" color="fg.muted">
          {t(when === 'later' ? 'pricing.plannedConsequence' : 'pricing.saveConsequence')}
        </Text>
      </FormView>
      {guard.dialog}
    </DialogFrame>
  )
}

/** Unix milliseconds; null = at once, or no moment. */
function effectiveAt({ when, moment }: SaveValues): number | null {
  const at = when === 'later' ? readMoment(moment) : null
  return at === null ? null : at * 1_000
}
