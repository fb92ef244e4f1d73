import { Button, Flex, Stack } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Token } from '../../core/contract.ts'
import { QUOTA_PRESETS } from '../../parts/amount.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { DrawerForm } from '../../parts/drawer-form.tsx'
import { SelectField, SwitchField, TextAreaField, TextField } from '../../parts/fields.tsx'
import { ModelPicker } from '../../parts/model-picker.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { toLocalInput } from '../../parts/time-format.ts'
import { ContactDialog } from './contact-dialog.tsx'
import { lacksBalance, useSaveToken } from './mutations.ts'
import { userGroupsQuery, userModelsQuery } from './queries.ts'
import type { TokenErrors, TokenForm } from './token-form.ts'
import { BATCH_COUNTS, EXPIRY_PRESETS, formOf, newToken, tokenErrors } from './token-form.ts'

interface Part {
  readonly form: TokenForm
  readonly errors: TokenErrors
  readonly change: (part: Partial<TokenForm>) => void
}

/** Creates tokens (`token` null) or edits one. */
export function TokenDrawer({ token, onClose }: { token: Token | null; onClose: () => void }) {
  const { t } = useTranslation()
  const { unit, quotaPerUnit } = useQuotaUnit()
  const [initial] = useState(() =>
    token ? formOf(token, unit, quotaPerUnit) : newToken(unit, quotaPerUnit),
  )
  const [form, setForm] = useState(initial)
  const [isChecked, setChecked] = useState(false)
  const save = useSaveToken(() => {
    notifySuccess(token ? t('form.saved') : t('tokens.createdMessage'))
    onClose()
  })
  const errors = tokenErrors(form, unit, quotaPerUnit)
  const submit = () => {
    setChecked(true)
    if (Object.keys(errors).length === 0) save.mutate({ form, unit, quotaPerUnit, token })
  }
  const part: Part = {
    form,
    errors: isChecked ? errors : {},
    change: (change) => setForm((old) => ({ ...old, ...change })),
  }
  return (
    <DrawerForm
      title={token ? t('tokens.editTitle') : t('tokens.create')}
      isDirty={JSON.stringify(form) !== JSON.stringify(initial)}
      isBusy={save.isPending}
      submitLabel={t('action.save')}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('tokens.name')}
        isRequired
        value={form.name}
        onChange={(name) => part.change({ name })}
        error={
          part.errors.name
            ? t(`tokens.name_${part.errors.name === 'long' ? 'long' : 'required'}`)
            : undefined
        }
      />
      {token ? null : <Count {...part} />}
      <Amount {...part} />
      <Expiry {...part} />
      <Limits {...part} />
      {lacksBalance(save.error) ? <ContactDialog onClose={save.reset} /> : null}
    </DrawerForm>
  )
}

function Count({ form, errors, change }: Part) {
  const { t } = useTranslation()
  return (
    <Stack gap="1.5">
      <TextField
        label={t('tokens.count')}
        inputMode="numeric"
        value={form.count}
        onChange={(count) => change({ count })}
        help={t('tokens.countHelp')}
        error={errors.count ? t('tokens.countWrong') : undefined}
      />
      <Flex gap="1.5" wrap="wrap">
        {BATCH_COUNTS.map((count) => (
          <Button
            key={count}
            size="xs"
            variant={form.count === count ? 'solid' : 'outline'}
            onClick={() => change({ count })}
          >
            {count}
          </Button>
        ))}
      </Flex>
    </Stack>
  )
}

function Amount({ form, errors, change }: Part) {
  const { t } = useTranslation()
  return (
    <Stack gap="1.5">
      <SwitchField
        label={t('tokens.unlimitedQuota')}
        help={t('tokens.unlimitedHelp')}
        isOn={form.isUnlimited}
        onChange={(isUnlimited) => change({ isUnlimited })}
      />
      {form.isUnlimited ? null : (
        <AmountField
          label={t('tokens.amount')}
          value={form.remain}
          onChange={(remain) => change({ remain })}
          error={errors.remain ? t('tokens.amountWrong') : undefined}
          presets={QUOTA_PRESETS}
        />
      )}
    </Stack>
  )
}

function Expiry({ form, errors, change }: Part) {
  const { t } = useTranslation()
  const after = (seconds: number) =>
    change({ expiry: toLocalInput(Math.floor(Date.now() / 1000) + seconds) })
  return (
    <Stack gap="1.5">
      <TextField
        label={t('tokens.expires')}
        type="datetime-local"
        step="1"
        value={form.expiry}
        onChange={(expiry) => change({ expiry })}
        help={form.expiry === '' ? t('tokens.neverHelp') : undefined}
        error={errors.expiry ? t('tokens.expiryWrong') : undefined}
      />
      <Flex gap="1.5" wrap="wrap">
        <Button
          size="xs"
          variant={form.expiry === '' ? 'solid' : 'outline'}
          onClick={() => change({ expiry: '' })}
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

function Limits({ form, change }: Part) {
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
        value={form.group}
        onChange={(group) => change({ group })}
        options={[{ value: '', label: t('tokens.ownGroup') }, ...options]}
      />
      <SwitchField
        label={t('tokens.limitModels')}
        help={t('tokens.limitModelsHelp')}
        isOn={form.isModelLimited}
        onChange={(isModelLimited) => change({ isModelLimited })}
      />
      {form.isModelLimited ? (
        <ModelPicker
          label={t('tokens.models')}
          value={form.models}
          suggestions={models}
          onChange={(chosen) => change({ models: chosen })}
        />
      ) : null}
      <TextAreaField
        label={t('tokens.allowIps')}
        isMono
        value={form.allowIps}
        onChange={(allowIps) => change({ allowIps })}
        help={t('tokens.allowIpsHelp')}
        placeholder={'203.0.113.7\n10.0.0.0/8'}
      />
    </Stack>
  )
}
