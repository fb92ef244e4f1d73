import { Box, chakra, Flex, Text } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError, put } from '../../core/api.ts'
import type { Self } from '../../core/contract.ts'
import { selfQuery } from '../../core/status.ts'
import { amountText } from '../../parts/amount.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { BusyButton } from '../../parts/busy-button.tsx'
import { Card } from '../../parts/card.tsx'
import { SwitchField } from '../../parts/choice-fields.tsx'
import { TextField } from '../../parts/fields.tsx'
import { FormView } from '../../parts/form/form-view.tsx'
import type { Refusals } from '../../parts/form/form-values.ts'
import { useLeaveGuard } from '../../parts/form/leave-guard.tsx'
import type { FormState } from '../../parts/form/use-form.ts'
import { useForm } from '../../parts/form/use-form.ts'
import { notifySuccess } from '../../parts/notify.tsx'
import { parseQuota } from '../../parts/quota-format.ts'
import { useQuotaUnit } from '../../parts/quota.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import type { OwnSetting } from './own-setting.ts'
import { isWebhookAddress, ownSetting, THRESHOLD_PRESETS } from './own-setting.ts'

/** The setting with what is typed as text, and the secret, which is never read back. */
interface Values extends Omit<OwnSetting, 'threshold'> {
  readonly threshold: string
  readonly webhookSecret: string
}

/** The beginning of every webhook's address (seeds, section 5). */
const ADDRESS_START = 'https://'

/** Refusals of the server that are about one field of the notifications. */
const REFUSALS: Refusals<Values> = {
  threshold_not_positive: 'threshold',
  threshold_too_large: 'threshold',
  email_invalid: 'email',
  webhook_address_invalid: 'webhookUrl',
  webhook_address_private: 'webhookUrl',
  webhook_secret_invalid: 'webhookSecret',
}

type Problem = 'threshold' | 'webhookMissing' | 'webhookInvalid' | 'emailInvalid'

/** Notifications and prices: two tabs of one form, because the server replaces them together. */
export function OwnSettings({ self }: { self: Self }) {
  const { t } = useTranslation()
  const { unit, quotaPerUnit } = useQuotaUnit()
  const [tab, setTab] = useState<'notifications' | 'prices'>('notifications')
  const form = useForm<Values, Problem>({
    initial: () => {
      const { threshold, ...setting } = ownSetting(self.setting)
      return {
        ...setting,
        threshold: amountText(threshold, unit, quotaPerUnit),
        webhookSecret: '',
      }
    },
    check: (values) => {
      const threshold = parseQuota(values.threshold, unit, quotaPerUnit)
      return {
        ...(threshold === null || threshold <= 0 ? { threshold: 'threshold' as const } : {}),
        ...(values.type === 'webhook' ? webhookProblem(values.webhookUrl) : {}),
        ...(values.type === 'email' && values.email !== '' && !values.email.includes('@')
          ? { email: 'emailInvalid' as const }
          : {}),
      }
    },
    say: (problem) => t(`personal.setting_${problem}`),
    refusals: tab === 'notifications' ? REFUSALS : {},
    save: async (values) => {
      try {
        await put('/api/user/setting', {
          notify_type: values.type,
          quota_warning_threshold: parseQuota(values.threshold, unit, quotaPerUnit) ?? 0,
          webhook_url: values.webhookUrl.trim(),
          webhook_secret: values.webhookSecret,
          notification_email: values.email.trim(),
          accept_unset_model_ratio_model: values.acceptsUnpriced,
        })
      } catch (error) {
        // A refusal says what is wrong by itself (seeds, error catalogue).
        if (error instanceof ApiError && error.kind === 'rejected') throw error
        throw new Error(t('personal.settingFailed'), { cause: error })
      }
    },
    refresh: [selfQuery.queryKey],
    onSaved: () => notifySuccess(t('personal.settingSaved')),
  })
  const guard = useLeaveGuard(form)
  return (
    <Card title={t('personal.settings')}>
      <Tabs
        label={t('personal.settings')}
        tabs={[
          { name: 'notifications', label: t('personal.notifications') },
          { name: 'prices', label: t('personal.prices') },
        ]}
        chosen={tab}
        onChoose={setTab}
      >
        <FormView form={form}>
          {tab === 'notifications' ? <Notifications form={form} self={self} /> : null}
          {tab === 'prices' ? (
            <SwitchField
              label={t('personal.acceptUnpriced')}
              help={t('personal.acceptUnpricedHelp')}
              {...form.flag('acceptsUnpriced')}
            />
          ) : null}
          <Box>
            <BusyButton type="submit" size="sm" isLocked={!form.isDirty} isBusy={form.isBusy}>
              {t('action.save')}
            </BusyButton>
          </Box>
        </FormView>
      </Tabs>
      {guard.dialog}
    </Card>
  )
}

function Notifications({ form, self }: { form: FormState<Values>; self: Self }) {
  const { t } = useTranslation()
  // The secret itself is never read back; without a stored webhook none is worth keeping.
  const hasWebhook = ownSetting(self.setting).webhookUrl !== ''
  const { values } = form
  const threshold = form.text('threshold')
  return (
    <>
      <chakra.fieldset>
        <chakra.legend fontSize="sm" fontWeight="500" mb="1">
          {t('personal.notifyBy')}
        </chakra.legend>
        <Flex gap="4" wrap="wrap">
          {(['email', 'webhook'] as const).map((type) => (
            <chakra.label key={type} display="inline-flex" gap="2" alignItems="center">
              <chakra.input
                type="radio"
                name="notify-type"
                accentColor="teal.solid"
                checked={values.type === type}
                onChange={() => form.set({ type })}
              />
              {t(`personal.by_${type}`)}
            </chakra.label>
          ))}
        </Flex>
      </chakra.fieldset>
      <AmountField
        label={t('personal.threshold')}
        help={t('personal.thresholdHelp')}
        presets={THRESHOLD_PRESETS}
        value={threshold.value}
        onChange={threshold.onChange}
        error={threshold.error}
      />
      {values.type === 'email' ? (
        <TextField
          label={t('personal.notificationEmail')}
          placeholder={self.email}
          autoComplete="email"
          help={t('personal.notificationEmailHelp')}
          {...form.text('email')}
        />
      ) : (
        <>
          <TextField
            label={t('personal.webhookUrl')}
            type="url"
            placeholder={ADDRESS_START}
            help={t('personal.webhookUrlHelp')}
            {...form.text('webhookUrl')}
          />
          <TextField
            label={t('personal.webhookSecret')}
            type="password"
            autoComplete="new-password"
            help={t(hasWebhook ? 'personal.webhookSecretKept' : 'personal.webhookSecretHelp')}
            {...form.text('webhookSecret')}
          />
          <Text fontSize="xs" color="fg.muted">
            {t('personal.webhookFormat')}
          </Text>
        </>
      )}
    </>
  )
}

function webhookProblem(url: string): { webhookUrl?: Problem } {
  if (url.trim() === '') return { webhookUrl: 'webhookMissing' }
  return isWebhookAddress(url) ? {} : { webhookUrl: 'webhookInvalid' }
}
