import { Button, Flex, Stack, Text } from '@chakra-ui/react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Channel } from '../../core/contract.ts'
import { useIsRoot } from '../../core/session.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import {
  CheckField,
  FormField,
  SelectField,
  SwitchField,
  TextAreaField,
  TextField,
} from '../../parts/fields.tsx'
import { DrawerForm } from '../../parts/form/drawer-form.tsx'
import type { FormState } from '../../parts/form/use-form.ts'
import { useForm } from '../../parts/form/use-form.ts'
import { ModelPicker } from '../../parts/model-picker.tsx'
import { notifyInfo, notifySuccess } from '../../parts/notify.tsx'
import type { ChannelForm } from './channel-form.ts'
import { channelErrors, formOf, hasVersionInUrl, NEW_CHANNEL } from './channel-form.ts'
import { CHANNEL_TYPES, channelType, channelTypeName } from '../../parts/channel-types.ts'
import { fetchModels, saveChannel } from './mutations.ts'
import { groupsQuery, knownModelsQuery, pricedModelsQuery, typeModelsQuery } from './queries.ts'

interface Part {
  readonly form: FormState<ChannelForm>
}

/** Adds a channel, edits one, or makes a copy, which needs its key typed again because keys never leave the server. */
export function ChannelDrawer(props: {
  mode: 'add' | 'edit' | 'copy'
  channel: Channel | null
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { mode, channel, onClose } = props
  const isNew = mode !== 'edit'
  const [isAskingVersion, setAskingVersion] = useState(false)
  const form = useForm({
    initial: () => {
      const opened = channel ? formOf(channel) : NEW_CHANNEL
      return mode === 'copy'
        ? { ...opened, name: t('channels.copyName', { name: opened.name }) }
        : opened
    },
    check: (values) => channelErrors(values, isNew),
    say: (problem) => t(`channels.error_${problem}`),
    save: (values, opened) =>
      saveChannel({ id: isNew ? null : (channel?.id ?? null), opened, form: values }),
    refresh: [['channels']],
    onSaved: () => {
      notifySuccess(t('form.saved'))
      onClose()
    },
  })
  const submit = () => {
    const isRight = Object.keys(channelErrors(form.values, isNew)).length === 0
    if (isRight && hasVersionInUrl(form.values)) setAskingVersion(true)
    else form.submit()
  }
  return (
    <DrawerForm
      title={t(`channels.title_${mode}`)}
      form={{ ...form, submit }}
      submitLabel={t('action.save')}
      onClose={onClose}
    >
      <Provider form={form} isNew={isNew} />
      <Models form={form} channelId={isNew ? null : (channel?.id ?? null)} />
      <Routing form={form} />
      <Advanced form={form} />
      <ConfirmDialog
        isOpen={isAskingVersion}
        title={t('channels.versionTitle')}
        consequence={t('channels.versionText')}
        confirmLabel={t('channels.versionKeep')}
        onConfirm={() => {
          setAskingVersion(false)
          form.submit()
        }}
        onClose={() => setAskingVersion(false)}
      />
    </DrawerForm>
  )
}

/** Choosing a type fills in its default models, if none are chosen (seeds, section 4). */
function withType(
  form: ChannelForm,
  type: number,
  typeModels: Record<string, string[] | null> | undefined,
): Partial<ChannelForm> {
  return form.models.length > 0 ? { type } : { type, models: typeModels?.[String(type)] ?? [] }
}

function Provider({ form, isNew }: Part & { isNew: boolean }) {
  const { t, i18n } = useTranslation()
  const typeModels = useQuery(typeModelsQuery).data
  const type = channelType(form.values.type)
  const options = CHANNEL_TYPES.map(({ id }) => ({
    value: String(id),
    label: channelTypeName(id, i18n.language),
  }))
  return (
    <Stack gap="4">
      <SelectField
        label={t('channels.type')}
        value={String(form.values.type)}
        onChange={(value) => form.set((old) => withType(old, Number(value), typeModels))}
        options={options}
      />
      {type.notice ? (
        <Text bg="bg.muted" borderRadius="l2" px="3" py="2" fontSize="sm">
          {t(`channels.notice_${type.notice}`)}
        </Text>
      ) : null}
      <TextField label={t('channels.name')} isRequired {...form.text('name')} />
      <TextAreaField
        label={t('channels.key')}
        isMono
        isRequired={isNew}
        rows={2}
        {...form.text('key')}
        placeholder={type.keyHint ?? 'sk-…'}
        help={isNew ? t('channels.keyHelpNew') : t('channels.keyHelpKept')}
      />
      <Address form={form} />
      {type.other ? (
        <TextField label={t(`channels.other_${type.other}`)} {...form.text('other')} />
      ) : null}
      {form.values.type === 1 ? (
        <TextField
          label={t('channels.organization')}
          {...form.text('organization')}
          placeholder={ORGANIZATION_EXAMPLE}
        />
      ) : null}
    </Stack>
  )
}

function Address({ form }: Part) {
  const { t } = useTranslation()
  const type = channelType(form.values.type)
  if (type.address === 'none') return null
  const help = type.base ? t('channels.baseUrlHelp', { base: type.base }) : undefined
  return (
    <TextField
      label={t(`channels.address_${type.address ?? 'base'}`)}
      type="url"
      {...form.text('baseUrl')}
      placeholder={type.base ?? 'https://'}
      help={help}
    />
  )
}

function Models({ form, channelId }: Part & { channelId: number | null }) {
  const { t } = useTranslation()
  const typeModels = useQuery(typeModelsQuery).data?.[String(form.values.type)] ?? []
  const known = useQuery(knownModelsQuery).data ?? []
  const key = form.values.key.trim()
  const fetched = useMutation({
    mutationFn: () =>
      fetchModels(
        channelId !== null && key === ''
          ? { id: channelId }
          : { base_url: form.values.baseUrl.trim(), type: form.values.type, key },
      ),
    onSuccess: (models) =>
      form.set((old) => ({ models: [...new Set([...old.models, ...models])] })),
  })
  const fetchFromUpstream = () => {
    if (channelId === null && key === '') notifyInfo(t('channels.keyMissing'))
    else fetched.mutate()
  }
  return (
    <Stack gap="2">
      <ModelPicker
        label={t('channels.models')}
        value={form.values.models}
        suggestions={known}
        error={form.errors.models}
        onChange={(models) => form.set({ models })}
        tools={
          <>
            <Button
              size="xs"
              variant="outline"
              disabled={typeModels.length === 0}
              onClick={() => form.set({ models: typeModels })}
            >
              {t('channels.fillRelated')}
            </Button>
            <Button size="xs" variant="outline" onClick={() => form.set({ models: known })}>
              {t('channels.fillAll')}
            </Button>
            <Button
              size="xs"
              variant="outline"
              loading={fetched.isPending}
              onClick={fetchFromUpstream}
            >
              {t('channels.fetchModels')}
            </Button>
            <Button size="xs" variant="ghost" onClick={() => form.set({ models: [] })}>
              {t('channels.clearModels')}
            </Button>
          </>
        }
      />
      <UnpricedModels models={form.values.models} />
    </Stack>
  )
}

/** Points out models that would be refused because nothing says what they cost (decision 45). */
function UnpricedModels({ models }: { models: readonly string[] }) {
  const { t } = useTranslation()
  const priced = useQuery({ ...pricedModelsQuery, enabled: useIsRoot() }).data
  const unpriced = priced ? models.filter((model) => !priced.has(model)) : []
  if (unpriced.length === 0) return null
  return (
    <Text as="output" display="block" color="fg.warning" fontSize="sm">
      {t('channels.unpriced', { n: unpriced.length, names: unpriced.slice(0, 5).join(', ') })}
    </Text>
  )
}

function Routing({ form }: Part) {
  const { t } = useTranslation()
  const chosen = form.values.groups
  const groups = useQuery(groupsQuery).data ?? chosen
  const toggle = (group: string, isOn: boolean) =>
    form.set({ groups: isOn ? [...chosen, group] : chosen.filter((other) => other !== group) })
  return (
    <Stack gap="4">
      <FormField label={t('channels.group')} error={form.errors.groups}>
        <Flex gap="3" wrap="wrap">
          {[...new Set([...groups, ...chosen])].map((group) => (
            <CheckField
              key={group}
              label={group}
              isChecked={chosen.includes(group)}
              onChange={(isOn) => toggle(group, isOn)}
            />
          ))}
        </Flex>
      </FormField>
      <Flex gap="3">
        <TextField label={t('channels.priority')} inputMode="numeric" {...form.text('priority')} />
        <TextField label={t('channels.weight')} inputMode="numeric" {...form.text('weight')} />
      </Flex>
      <TextField label={t('channels.tag')} {...form.text('tag')} />
      <SwitchField
        label={t('channels.autoBan')}
        help={t('channels.autoBanHelp')}
        {...form.flag('isAutoBan')}
      />
    </Stack>
  )
}

/** What such an id looks like at OpenAI. */
const ORGANIZATION_EXAMPLE = 'org-…'

const JSON_EXAMPLES = {
  modelMapping: '{"gpt-4o": "gpt-4o-2024-08-06"}',
  statusCodeMapping: '{"400": "500"}',
  setting: '{"proxy": "socks5://127.0.0.1:1080"}',
  paramOverride: '{"temperature": 0}',
} as const

function Advanced({ form }: Part) {
  const { t } = useTranslation()
  return (
    <Stack gap="4">
      <TextField
        label={t('channels.testModel')}
        {...form.text('testModel')}
        help={t('channels.testModelHelp')}
      />
      {(['modelMapping', 'statusCodeMapping', 'setting', 'paramOverride'] as const).map((field) => (
        <TextAreaField
          key={field}
          isMono
          rows={3}
          label={t(`channels.${field}`)}
          help={t(`channels.${field}Help`)}
          {...form.text(field)}
          placeholder={JSON_EXAMPLES[field]}
        />
      ))}
    </Stack>
  )
}
