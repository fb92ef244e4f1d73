import { Button, Flex, Stack, Text } from '@chakra-ui/react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Channel } from '../../core/contract.ts'
import { useIsRoot } from '../../core/session.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { DrawerForm } from '../../parts/drawer-form.tsx'
import {
  CheckField,
  FormField,
  SelectField,
  SwitchField,
  TextAreaField,
  TextField,
} from '../../parts/fields.tsx'
import { ModelPicker } from '../../parts/model-picker.tsx'
import { notifyInfo, notifySuccess } from '../../parts/notify.tsx'
import type { ChannelErrors, ChannelForm } from './channel-form.ts'
import { channelErrors, formOf, hasVersionInUrl, NEW_CHANNEL } from './channel-form.ts'
import { CHANNEL_TYPES, channelType, channelTypeName } from './channel-types.ts'
import { fetchModels, saveChannel, useChannelChange } from './mutations.ts'
import { groupsQuery, knownModelsQuery, pricedModelsQuery, typeModelsQuery } from './queries.ts'

interface Part {
  readonly form: ChannelForm
  readonly errors: ChannelErrors
  readonly change: (part: Partial<ChannelForm>) => void
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
  const typeModels = useQuery(typeModelsQuery).data
  const [initial] = useState(() => {
    const form = channel ? formOf(channel) : NEW_CHANNEL
    return mode === 'copy' ? { ...form, name: t('channels.copyName', { name: form.name }) } : form
  })
  const [form, setForm] = useState(initial)
  const [isChecked, setChecked] = useState(false)
  const [isAskingVersion, setAskingVersion] = useState(false)
  const save = useChannelChange(saveChannel, () => {
    notifySuccess(t('form.saved'))
    onClose()
  })
  const send = () =>
    save.mutate({ id: isNew ? null : (channel?.id ?? null), opened: initial, form })
  const errors = channelErrors(form, isNew)
  const submit = () => {
    setChecked(true)
    if (Object.keys(errors).length > 0) notifyInfo(t('form.checkInput'))
    else if (hasVersionInUrl(form)) setAskingVersion(true)
    else send()
  }
  const change = (part: Partial<ChannelForm>) =>
    setForm((old) => withDefaultModels({ ...old, ...part }, part, typeModels))
  const part: Part = { form, errors: isChecked ? errors : {}, change }
  return (
    <DrawerForm
      title={t(`channels.title_${mode}`)}
      isDirty={JSON.stringify(form) !== JSON.stringify(initial)}
      isBusy={save.isPending}
      submitLabel={t('action.save')}
      onSubmit={submit}
      onClose={onClose}
    >
      <Provider {...part} isNew={isNew} />
      <Models {...part} channelId={isNew ? null : (channel?.id ?? null)} />
      <Routing {...part} />
      <Advanced {...part} />
      <ConfirmDialog
        isOpen={isAskingVersion}
        title={t('channels.versionTitle')}
        consequence={t('channels.versionText')}
        confirmLabel={t('channels.versionKeep')}
        onConfirm={() => {
          setAskingVersion(false)
          send()
        }}
        onClose={() => setAskingVersion(false)}
      />
    </DrawerForm>
  )
}

/** Choosing a type fills in its default models, if none are chosen (seeds, section 4). */
function withDefaultModels(
  form: ChannelForm,
  part: Partial<ChannelForm>,
  typeModels: Record<string, string[] | null> | undefined,
): ChannelForm {
  if (part.type === undefined || form.models.length > 0) return form
  return { ...form, models: typeModels?.[String(part.type)] ?? [] }
}

function Provider({ form, errors, change, isNew }: Part & { isNew: boolean }) {
  const { t, i18n } = useTranslation()
  const type = channelType(form.type)
  const options = CHANNEL_TYPES.map(({ id }) => ({
    value: String(id),
    label: channelTypeName(id, i18n.language),
  }))
  return (
    <Stack gap="4">
      <SelectField
        label={t('channels.type')}
        value={String(form.type)}
        onChange={(value) => change({ type: Number(value) })}
        options={options}
      />
      {type.notice ? (
        <Text bg="bg.muted" borderRadius="l2" px="3" py="2" fontSize="sm">
          {t(`channels.notice_${type.notice}`)}
        </Text>
      ) : null}
      <TextField
        label={t('channels.name')}
        isRequired
        value={form.name}
        onChange={(name) => change({ name })}
        error={errors.name ? t('channels.error_nameAndKey') : undefined}
      />
      <TextAreaField
        label={t('channels.key')}
        isMono
        isRequired={isNew}
        rows={2}
        value={form.key}
        onChange={(key) => change({ key })}
        placeholder={type.keyHint ?? 'sk-…'}
        help={isNew ? t('channels.keyHelpNew') : t('channels.keyHelpKept')}
        error={errors.key ? t('channels.error_nameAndKey') : undefined}
      />
      <Address form={form} errors={errors} change={change} />
      {type.other ? (
        <TextField
          label={t(`channels.other_${type.other}`)}
          value={form.other}
          onChange={(other) => change({ other })}
          error={errors.other ? t('channels.error_region') : undefined}
        />
      ) : null}
      {form.type === 1 ? (
        <TextField
          label={t('channels.organization')}
          value={form.organization}
          onChange={(organization) => change({ organization })}
          placeholder={ORGANIZATION_EXAMPLE}
        />
      ) : null}
    </Stack>
  )
}

function Address({ form, errors, change }: Part) {
  const { t } = useTranslation()
  const type = channelType(form.type)
  if (type.address === 'none') return null
  const help = type.base ? t('channels.baseUrlHelp', { base: type.base }) : undefined
  return (
    <TextField
      label={t(`channels.address_${type.address ?? 'base'}`)}
      type="url"
      value={form.baseUrl}
      onChange={(baseUrl) => change({ baseUrl })}
      placeholder={type.base ?? 'https://'}
      help={help}
      error={errors.baseUrl ? t('channels.error_url') : undefined}
    />
  )
}

function Models({ form, errors, change, channelId }: Part & { channelId: number | null }) {
  const { t } = useTranslation()
  const typeModels = useQuery(typeModelsQuery).data?.[String(form.type)] ?? []
  const known = useQuery(knownModelsQuery).data ?? []
  const fetched = useMutation({
    mutationFn: () =>
      fetchModels(
        channelId !== null && form.key.trim() === ''
          ? { id: channelId }
          : { base_url: form.baseUrl.trim(), type: form.type, key: form.key.trim() },
      ),
    onSuccess: (models) => change({ models: [...new Set([...form.models, ...models])] }),
  })
  const fetchFromUpstream = () => {
    if (channelId === null && form.key.trim() === '') notifyInfo(t('channels.keyMissing'))
    else fetched.mutate()
  }
  return (
    <Stack gap="2">
      <ModelPicker
        label={t('channels.models')}
        value={form.models}
        suggestions={known}
        error={errors.models ? t('channels.error_models') : undefined}
        onChange={(models) => change({ models })}
        tools={
          <>
            <Button
              size="xs"
              variant="outline"
              disabled={typeModels.length === 0}
              onClick={() => change({ models: typeModels })}
            >
              {t('channels.fillRelated')}
            </Button>
            <Button size="xs" variant="outline" onClick={() => change({ models: known })}>
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
            <Button size="xs" variant="ghost" onClick={() => change({ models: [] })}>
              {t('channels.clearModels')}
            </Button>
          </>
        }
      />
      <UnpricedModels models={form.models} />
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

function Routing({ form, errors, change }: Part) {
  const { t } = useTranslation()
  const groups = useQuery(groupsQuery).data ?? form.groups
  const toggle = (group: string, isOn: boolean) =>
    change({
      groups: isOn ? [...form.groups, group] : form.groups.filter((other) => other !== group),
    })
  return (
    <Stack gap="4">
      <FormField
        label={t('channels.group')}
        error={errors.groups ? t('channels.error_groups') : undefined}
      >
        <Flex gap="3" wrap="wrap">
          {[...new Set([...groups, ...form.groups])].map((group) => (
            <CheckField
              key={group}
              label={group}
              isChecked={form.groups.includes(group)}
              onChange={(isOn) => toggle(group, isOn)}
            />
          ))}
        </Flex>
      </FormField>
      <Flex gap="3">
        <TextField
          label={t('channels.priority')}
          inputMode="numeric"
          value={form.priority}
          onChange={(priority) => change({ priority })}
          error={errors.priority ? t('channels.error_priority') : undefined}
        />
        <TextField
          label={t('channels.weight')}
          inputMode="numeric"
          value={form.weight}
          onChange={(weight) => change({ weight })}
          error={errors.weight ? t('channels.error_weight') : undefined}
        />
      </Flex>
      <TextField label={t('channels.tag')} value={form.tag} onChange={(tag) => change({ tag })} />
      <SwitchField
        label={t('channels.autoBan')}
        help={t('channels.autoBanHelp')}
        isOn={form.isAutoBan}
        onChange={(isAutoBan) => change({ isAutoBan })}
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

function Advanced({ form, errors, change }: Part) {
  const { t } = useTranslation()
  return (
    <Stack gap="4">
      <TextField
        label={t('channels.testModel')}
        value={form.testModel}
        onChange={(testModel) => change({ testModel })}
        help={t('channels.testModelHelp')}
      />
      {(['modelMapping', 'statusCodeMapping', 'setting', 'paramOverride'] as const).map((field) => (
        <TextAreaField
          key={field}
          isMono
          rows={3}
          label={t(`channels.${field}`)}
          help={t(`channels.${field}Help`)}
          value={form[field]}
          onChange={(value) => change({ [field]: value })}
          placeholder={JSON_EXAMPLES[field]}
          error={errors[field] ? t('channels.error_json') : undefined}
        />
      ))}
    </Stack>
  )
}
