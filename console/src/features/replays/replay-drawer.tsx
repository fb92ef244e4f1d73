import { useTranslation } from 'react-i18next'
import { post } from '../../core/api.ts'
import { useIsAdmin } from '../../core/session.ts'
import { useTimeZone } from '../../core/time-zone.ts'
import { SelectField } from '../../parts/choice-fields.tsx'
import { TextField } from '../../parts/fields.tsx'
import { DrawerForm } from '../../parts/form/drawer-form.tsx'
import { TimeField } from '../../parts/form/time-field.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { BUCKETS, newReplay, PRICES, replayBody, replayProblems } from './replay-form.ts'

/** Asks for a replay. */
export function ReplayDrawer(props: { onClose: () => void }) {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const zone = useTimeZone()
  const form = useForm({
    initial: () => newReplay(Math.floor(Date.now() / 60_000) * 60),
    check: replayProblems,
    say: (problem) => t(`replays.problem_${problem}`),
    save: (values) => post('/api/replays', replayBody(values, zone, isAdmin)),
    refresh: [['replays']],
    onSaved: props.onClose,
  })
  return (
    <DrawerForm
      title={t('replays.create')}
      form={form}
      submitLabel={t('replays.start')}
      onClose={props.onClose}
    >
      <TextField label={t('replays.name')} isRequired {...form.text('name')} />
      <TimeField label={t('replays.from')} {...form.text('from')} />
      <TimeField label={t('replays.to')} help={t('replays.toHelp')} {...form.text('to')} />
      <SelectField
        label={t('replays.prices')}
        options={PRICES.map((value) => ({ value, label: t(`replays.prices_${value}`) }))}
        {...form.text('prices')}
      />
      {form.values.prices === 'revision' ? (
        <TextField
          label={t('replays.revision')}
          isRequired
          inputMode="numeric"
          help={t('replays.revisionHelp')}
          {...form.text('revision')}
        />
      ) : null}
      <SelectField
        label={t('replays.bucket')}
        options={BUCKETS.map((value) => ({ value, label: t(`replays.bucket_${value}`) }))}
        {...form.text('bucket')}
      />
    </DrawerForm>
  )
}
