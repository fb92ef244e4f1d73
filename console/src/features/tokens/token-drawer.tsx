import { Button, Flex, Stack } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Token } from '../../core/contract.ts'
import { QUOTA_PRESETS } from '../../parts/amount.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { DrawerForm } from '../../parts/form/drawer-form.tsx'
import { SelectField, SwitchField, TextAreaField, TextField } from '../../parts/fields.tsx'
import { TimeField } from '../../parts/form/time-field.tsx'
import type { FormState } from '../../parts/form/use-form.ts'
import { useForm } from '../../parts/form/use-form.ts'
import { ModelPicker } from '../../parts/model-picker.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { toLocalInput } from '../../parts/time-format.ts'
import { ContactDialog } from './contact-dialog.tsx'
import { lacksBalance, saveToken } from './mutations.ts'
import { userGroupsQuery, userModelsQuery } from './queries.ts'
import type { TokenForm } from './token-form.ts'
import { BATCH_COUNTS, EXPIRY_PRESETS, formOf, newToken, tokenErrors } from './token-form.ts'

interface Part {
  readonly form: FormState<TokenForm>
}

/** Creates tokens (`token` null) or edits one. */
export function TokenDrawer({ token, onClose }: { token: Token | null; onClose: () => void }) {
  const { t } = useTranslation()
  const { unit, quotaPerUnit } = useQuotaUnit()
  const form = useForm({
    initial: () => (token ? formOf(token, unit, quotaPerUnit) : newToken(unit, quotaPerUnit)),
    check: (values) => tokenErrors(values, unit, quotaPerUnit),
    say: (problem) => t(`tokens.problem_${problem}`),
    save: (values) => saveToken({ form: values, unit, quotaPerUnit, token }),
    refresh: [['tokens']],
    onSaved: () => {
      notifySuccess(token ? t('form.saved') : t('tokens.createdMessage'))
      onClose()
    },
  })
  const isPoor = lacksBalance(form.failure)
  return (
    <DrawerForm
      title={token ? t('tokens.editTitle') : t('tokens.create')}
      form={isPoor ? { ...form, failure: null } : form}
      submitLabel={t('action.save')}
      onClose={onClose}
    >
      <TextField label={t('tokens.name')} isRequired {...form.text('name')} />
      {token ? null : <Count form={form} />}
      <Amount form={form} />
      <Expiry form={form} />
      <Limits form={form} />
      {isPoor ? <ContactDialog onClose={form.dismiss} /> : null}
    </DrawerForm>
  )
}

function Count({ form }: Part) {
  const { t } = useTranslation()
  return (
    <Stack gap="1.5">
      <TextField
        label={t('tokens.count')}
        inputMode="numeric"
        help={t('tokens.countHelp')}
        {...form.text('count')}
      />
      <Flex gap="1.5" wrap="wrap">
        {BATCH_COUNTS.map((count) => (
          <Button
            key={count}
            size="xs"
            variant={form.values.count === count ? 'solid' : 'outline'}
            onClick={() => form.set({ count })}
          >
            {count}
          </Button>
        ))}
      </Flex>
    </Stack>
  )
}

function Amount({ form }: Part) {
  const { t } = useTranslation()
  return (
    <Stack gap="1.5">
      <SwitchField
        label={t('tokens.unlimitedQuota')}
        help={t('tokens.unlimitedHelp')}
        {...form.flag('isUnlimited')}
      />
      {form.values.isUnlimited ? null : (
        <AmountField label={t('tokens.amount')} presets={QUOTA_PRESETS} {...form.text('remain')} />
      )}
    </Stack>
  )
}

function Expiry({ form }: Part) {
  const { t } = useTranslation()
  const after = (seconds: number) =>
    form.set({ expiry: toLocalInput(Math.floor(Date.now() / 1000) + seconds) })
  return (
    <Stack gap="1.5">
      <TimeField
        label={t('tokens.expires')}
        help={form.values.expiry === '' ? t('tokens.neverHelp') : undefined}
        {...form.text('expiry')}
      />
      <Flex gap="1.5" wrap="wrap">
        <Button
          size="xs"
          variant={form.values.expiry === '' ? 'solid' : 'outline'}
          onClick={() => form.set({ expiry: '' })}
        >
          {t('tokens.never')}
        </Button>
        {(['hour', 'day', 'month'] as const).map((name) => (
          <Button
            key={name}
            size="xs"
            variant="outline"
            onClick={() => after(EXPIRY_PRESETS[name])}
          >
            {t(`tokens.one_${name}`)}
          </Button>
        ))}
      </Flex>
    </Stack>
  )
}

function Limits({ form }: Part) {
  const { t } = useTranslation()
  const groups = useQuery(userGroupsQuery).data ?? {}
  const models = useQuery(userModelsQuery).data ?? []
  const options = Object.entries(groups).map(([value, group]) => ({
    value,
    label: t('tokens.groupOption', { name: value, desc: group.desc, ratio: group.ratio }),
  }))
  return (
    <Stack gap="4">
      <SelectField
        label={t('tokens.group')}
        {...form.text('group')}
        options={[{ value: '', label: t('tokens.ownGroup') }, ...options]}
      />
      <SwitchField
        label={t('tokens.limitModels')}
        help={t('tokens.limitModelsHelp')}
        {...form.flag('isModelLimited')}
      />
      {form.values.isModelLimited ? (
        <ModelPicker
          label={t('tokens.models')}
          value={form.values.models}
          suggestions={models}
          onChange={(chosen) => form.set({ models: chosen })}
        />
      ) : null}
      <TextAreaField
        label={t('tokens.allowIps')}
        isMono
        {...form.text('allowIps')}
        help={t('tokens.allowIpsHelp')}
        placeholder={'203.0.113.7\n10.0.0.0/8'}
      />
    </Stack>
  )
}
