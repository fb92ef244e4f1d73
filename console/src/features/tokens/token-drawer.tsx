import { Button, chakra, Stack, Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Token } from '../../core/contract.ts'
import { useSessionUser } from '../../core/session.ts'
import { ChoiceButton } from '../../parts/choice-button.tsx'
import { QUOTA_PRESETS } from '../../parts/amount.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { DrawerForm } from '../../parts/form/drawer-form.tsx'
import { SelectField, SwitchField } from '../../parts/choice-fields.tsx'
import { TextField } from '../../parts/fields.tsx'
import { TextAreaField } from '../../parts/text-area-field.tsx'
import { TimeField } from '../../parts/form/time-field.tsx'
import type { FormState } from '../../parts/form/use-form.ts'
import { useForm } from '../../parts/form/use-form.ts'
import { ModelPicker } from '../../parts/model-picker.tsx'
import { notifyInfo, notifySuccess } from '../../parts/notify.tsx'
import { Presets } from '../../parts/presets.tsx'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { SidePanel } from '../../parts/side-panel.tsx'
import { EmptyState, ErrorState } from '../../parts/states.tsx'
import { momentText } from '../../parts/time-format.ts'
import { userGroupsQuery } from '../../parts/user-groups.ts'
import { ContactDialog } from './contact-dialog.tsx'
import { editedTokenQuery, userModelsQuery } from './queries.ts'
import { lacksBalance, madeTokens, saveToken } from './save-token.ts'
import type { TokenForm } from './token-form.ts'
import {
  BATCH_COUNTS,
  EXPIRY_PRESETS,
  formOf,
  newToken,
  TOKEN_REFUSALS,
  tokenErrors,
} from './token-form.ts'

interface Part {
  readonly form: FormState<TokenForm>
}

interface DrawerProps {
  readonly token: Token | null
  readonly onCreated?: (tokens: readonly Token[]) => void
  readonly onClose: () => void
}

/** Creates tokens (`token` null) or edits one. */
export function TokenDrawer({ token, onCreated, onClose }: DrawerProps) {
  const { t } = useTranslation()
  const { unit, quotaPerUnit } = useQuotaUnit()
  const made = useRef<readonly Token[]>([])
  const form = useForm({
    initial: () => (token ? formOf(token, unit, quotaPerUnit) : newToken(unit, quotaPerUnit)),
    check: (values) => tokenErrors(values, unit, quotaPerUnit),
    say: (problem) => t(`tokens.problem_${problem}`),
    refusals: TOKEN_REFUSALS,
    save: async (values) => {
      const { ids, stopped } = await saveToken({ form: values, unit, quotaPerUnit, token })
      // They are made whether they can be read back or not: the list shows them as soon as it can be read.
      if (ids.length > 0)
        made.current = [...(await madeTokens(ids).catch(() => [])), ...made.current]
      if (stopped === null) return
      // The form goes on from there: saved again, it makes the others.
      const rest = Number(values.count) - ids.length
      form.set({ count: String(rest) })
      notifyInfo(t('tokens.someMade', { count: ids.length, rest }))
      throw stopped
    },
    refresh: [['tokens']],
    onSaved: () => {
      if (onCreated) return onCreated(made.current)
      notifySuccess(t('form.saved'))
      onClose()
    },
  })
  const isPoor = lacksBalance(form.failure)
  return (
    <DrawerForm
      title={token ? t('tokens.editTitle', { name: token.name }) : t('tokens.create')}
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

/** The form of the token that the address names, once it is there. */
export function EditToken({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation()
  const { data: token, error, refetch } = useQuery(editedTokenQuery(id))
  // Nothing until it is known: a panel that another takes the place of hands its focus back, which closes the other.
  if (token === undefined && !error) return null
  if (token) return <TokenDrawer key={token.id} token={token} onClose={onClose} />
  return (
    <SidePanel title={t('tokens.edit')} onClose={onClose}>
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <EmptyState title={t('list.rowGone')} detail={t('list.rowGoneDetail')} />
      )}
    </SidePanel>
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
      <Presets
        values={BATCH_COUNTS}
        present={form.values.count}
        nameOf={(count) => count}
        onChoose={(count) => form.set({ count })}
      />
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
  // An empty field asks for a moment that most tokens do not need: it comes when one is wanted.
  const [isAsked, setAsked] = useState(false)
  const { expiry } = form.values
  const isShown = isAsked || expiry !== ''
  const after = (seconds: number) =>
    form.set({ expiry: momentText(Math.floor(Date.now() / 1000) + seconds) })
  return (
    <Stack gap="1.5">
      {isShown ? (
        <TimeField
          label={t('tokens.expires')}
          help={expiry === '' ? t('tokens.neverHelp') : undefined}
          {...form.text('expiry')}
        />
      ) : (
        <Text fontSize="sm" fontWeight="500">
          {t('tokens.expires')}
        </Text>
      )}
      <chakra.fieldset display="flex" gap="1.5" flexWrap="wrap" aria-label={t('tokens.expires')}>
        <ChoiceButton
          isChosen={expiry === ''}
          onClick={() => {
            setAsked(false)
            form.set({ expiry: '' })
          }}
        >
          {t('tokens.never')}
        </ChoiceButton>
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
        {isShown ? null : (
          <Button size="xs" variant="outline" onClick={() => setAsked(true)}>
            {t('tokens.chooseTime')}
          </Button>
        )}
      </chakra.fieldset>
    </Stack>
  )
}

function Limits({ form }: Part) {
  const { t } = useTranslation()
  const own = useSessionUser()?.group ?? ''
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
        options={[{ value: '', label: t('tokens.ownGroup', { group: own }) }, ...options]}
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
