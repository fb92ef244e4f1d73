import { Button, chakra, Flex, Stack, Text } from '@chakra-ui/react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useIsRoot } from '../../core/session.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { CheckField, SwitchField } from '../../parts/choice-fields.tsx'
import { named } from '../../parts/combobox/choices.ts'
import { ChoiceField, SuggestedField } from '../../parts/combobox/combobox-field.tsx'
import { FormField, TextField } from '../../parts/fields.tsx'
import { TextAreaField } from '../../parts/text-area-field.tsx'
import { DrawerForm } from '../../parts/form/drawer-form.tsx'
import type { FormState } from '../../parts/form/use-form.ts'
import { useForm } from '../../parts/form/use-form.ts'
import { ModelPicker } from '../../parts/model-picker.tsx'
import { notifyFailure, notifyInfo, notifySuccess } from '../../parts/notify.tsx'
import { SidePanel } from '../../parts/side-panel.tsx'
import { EmptyState, ErrorState } from '../../parts/states.tsx'
import type { ChannelForm } from './channel-form.ts'
import {
  CHANNEL_REFUSALS,
  channelErrors,
  formOf,
  hasVersionInUrl,
  NEW_CHANNEL,
  sourceOf,
  withType,
  withUpstream,
} from './channel-form.ts'
import { channelType, channelTypeName, offeredTypes } from '../../parts/channel-types.ts'
import { ModelsMissing } from './models-missing.tsx'
import { fetchModels, saveChannel, type TestOutcome, testSaved } from './mutations.ts'
import {
  editedChannelQuery,
  groupsQuery,
  knownModelsQuery,
  pricedModelsQuery,
  tagsQuery,
  typeModelsQuery,
} from './queries.ts'

interface Part {
  readonly form: FormState<ChannelForm>
}

/** The form of a new channel, with the models of its type. */
export function AddChannel(props: {
  onSaved: (id: number, test: TestOutcome | null) => void
  onClose: () => void
}) {
  const { data, error } = useQuery(typeModelsQuery)
  // Without the models of its type the form is still of use.
  if (!data && !error) return null
  const models = data?.[String(NEW_CHANNEL.type)] ?? []
  return <ChannelDrawer {...props} mode="add" id={null} opened={{ ...NEW_CHANNEL, models }} />
}

/** The form of the channel that the address names, or of its copy, once it is there. */
export function EditChannel(props: {
  id: number
  mode: 'edit' | 'copy'
  onSaved: (id: number, test: TestOutcome | null) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { data: channel, error, refetch } = useQuery(editedChannelQuery(props.id))
  // Nothing until it is known: a panel that another takes the place of hands its focus back, which closes the other.
  if (channel === undefined && !error) return null
  if (!channel)
    return (
      <SidePanel title={t(`channels.title_${props.mode}`)} onClose={props.onClose}>
        {error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <EmptyState title={t('channels.notFound')} />
        )}
      </SidePanel>
    )
  const opened = formOf(channel)
  if (props.mode === 'edit') return <ChannelDrawer {...props} key={channel.id} opened={opened} />
  const name = t('channels.copyName', { name: opened.name })
  return <ChannelDrawer {...props} key={channel.id} id={null} opened={{ ...opened, name }} />
}

/** Adds a channel, edits one, or makes a copy, which needs its key typed again because keys never leave the server. */
function ChannelDrawer(props: {
  mode: 'add' | 'edit' | 'copy'
  /** Null = a new one is made. */
  id: number | null
  opened: ChannelForm
  onSaved: (id: number, test: TestOutcome | null) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const { mode, id, onClose } = props
  const isNew = id === null
  const formId = useId()
  const saved = useRef(0)
  const isToBeTested = useRef(false)
  const test = useRef<TestOutcome | null>(null)
  const [askedVersion, setAskedVersion] = useState<Partial<ChannelForm> | null>(null)
  const form = useForm({
    initial: props.opened,
    check: (values) => channelErrors(values, isNew),
    say: (problem) => t(`channels.error_${problem}`),
    refusals: CHANNEL_REFUSALS,
    save: async (values, opened) => {
      try {
        saved.current = await saveChannel({ id, opened, form: values })
      } catch (cause) {
        if (mode !== 'copy' || !(cause instanceof Error)) throw cause
        throw new Error(t('channels.copyFailed', { reason: cause.message }), { cause })
      }
      test.current = isToBeTested.current ? await testSaved(saved.current, values) : null
    },
    refresh: [['channels']],
    onSaved: () => {
      notifySuccess(t('form.saved'))
      props.onSaved(saved.current, test.current)
    },
  })
  const refuse = () => notifyFailure(new Error(t('channels.submittedTwice')))
  const send = (part: Partial<ChannelForm>) => {
    if (form.isBusy) return refuse()
    const values = { ...form.values, ...part }
    const isRight = Object.keys(channelErrors(values, isNew)).length === 0
    if (isRight && hasVersionInUrl(values)) setAskedVersion(part)
    else form.submit(part)
  }
  const submit = () => {
    isToBeTested.current = false
    send({})
  }
  const fetchAndTest = (models: readonly string[]) => {
    isToBeTested.current = true
    send({ models })
  }
  return (
    <DrawerForm
      title={t(`channels.title_${mode}`)}
      form={{ ...form, submit }}
      submitLabel={t('action.save')}
      id={formId}
      otherWay={
        isNew ? <FetchAndTest form={form} formId={formId} onFetched={fetchAndTest} /> : null
      }
      onSentAgain={refuse}
      onClose={onClose}
    >
      <Provider form={form} isNew={isNew} />
      <Models form={form} channelId={id} />
      <Routing form={form} />
      <Advanced form={form} />
      <ConfirmDialog
        isOpen={askedVersion !== null}
        title={t('channels.versionTitle')}
        consequence={t('channels.versionText')}
        confirmLabel={t('channels.versionKeep')}
        onConfirm={() => {
          setAskedVersion(null)
          form.submit(askedVersion ?? {})
        }}
        onClose={() => setAskedVersion(null)}
      />
    </DrawerForm>
  )
}

/** All that a new channel needs beside its key: the models that upstream has, the save, and a test of what was saved. */
function FetchAndTest(
  props: Part & { formId: string; onFetched: (models: readonly string[]) => void },
) {
  const { t } = useTranslation()
  const { values, isBusy } = props.form
  const typeModels = useQuery(typeModelsQuery).data
  const fetched = useMutation({
    mutationFn: () => fetchModels(sourceOf(values)),
    onSuccess: (models) => props.onFetched(withUpstream(values, models, typeModels)),
  })
  const { models: _, ...problems } = channelErrors(values, true)
  const isIncomplete = Object.keys(problems).length > 0
  return (
    <BusyButton
      size="sm"
      variant="outline"
      // Sent as it is, an incomplete form says what it lacks.
      type={isIncomplete ? 'submit' : 'button'}
      form={props.formId}
      isBusy={fetched.isPending || isBusy}
      onClick={() => isIncomplete || fetched.mutate()}
    >
      {t('channels.fetchAndTest')}
    </BusyButton>
  )
}

/** Whom to ask for the models of a channel that is not saved yet. */
function Provider({ form, isNew }: Part & { isNew: boolean }) {
  const { t, i18n } = useTranslation()
  const typeModels = useQuery(typeModelsQuery).data
  const type = channelType(form.values.type)
  const types = offeredTypes(form.values.type).map(({ id }) => ({
    value: String(id),
    label: channelTypeName(id, i18n.language),
  }))
  return (
    <Stack gap="4">
      <ChoiceField
        label={t('channels.type')}
        value={String(form.values.type)}
        onChange={(value) => form.set((old) => withType(old, Number(value), typeModels))}
        choices={types}
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
  const known = useQuery(knownModelsQuery)
  const key = form.values.key.trim()
  const fetched = useMutation({
    mutationFn: () =>
      fetchModels(channelId !== null && key === '' ? { id: channelId } : sourceOf(form.values)),
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
        suggestions={known.data ?? []}
        error={form.errors.models}
        onChange={(models) => form.set({ models })}
        tools={
          <>
            <BusyButton
              size="xs"
              variant="outline"
              isBusy={fetched.isPending}
              onClick={fetchFromUpstream}
            >
              {t('channels.fetchModels')}
            </BusyButton>
            <Button
              size="xs"
              variant="outline"
              disabled={typeModels.length === 0}
              onClick={() => form.set({ models: typeModels })}
            >
              {t('channels.fillRelated')}
            </Button>
            <Button
              size="xs"
              variant="outline"
              disabled={known.data === undefined}
              onClick={() => form.set({ models: known.data ?? [] })}
            >
              {t('channels.fillAll')}
            </Button>
            <Button size="xs" variant="ghost" onClick={() => form.set({ models: [] })}>
              {t('channels.clearModels')}
            </Button>
          </>
        }
      />
      <ModelsMissing list={known} />
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
      {t('channels.unpriced', { count: unpriced.length, names: unpriced.slice(0, 5).join(', ') })}
    </Text>
  )
}

function Routing({ form }: Part) {
  const { t } = useTranslation()
  const chosen = form.values.groups
  const groups = useQuery(groupsQuery).data ?? chosen
  const tags = useQuery(tagsQuery).data ?? []
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
      <SuggestedField label={t('channels.tag')} {...form.text('tag')} choices={tags.map(named)} />
      <SwitchField
        label={t('channels.autoBan')}
        help={t('channels.autoBanHelp')}
        {...form.flag('isAutoBan')}
      />
    </Stack>
  )
}

/** The shape of an organization's id at OpenAI. */
const ORGANIZATION_EXAMPLE = 'org-…'

const JSON_EXAMPLES = {
  modelMapping: '{"gpt-4o": "gpt-4o-2024-08-06"}',
  statusCodeMapping: '{"400": "500"}',
  setting: '{"proxy": "socks5://127.0.0.1:1080"}',
  paramOverride: '{"temperature": 0}',
} as const

const JSON_FIELDS = ['modelMapping', 'statusCodeMapping', 'setting', 'paramOverride'] as const

/** Fields that most channels leave empty: folded until one of them is set, or wrong. */
function Advanced({ form }: Part) {
  const { t } = useTranslation()
  const { values, errors } = form
  const [isOpen, setOpen] = useState(
    values.testModel !== '' || JSON_FIELDS.some((field) => values[field] !== ''),
  )
  const isWrong = JSON_FIELDS.some((field) => errors[field] !== undefined)
  return (
    <chakra.details open={isOpen || isWrong}>
      <chakra.summary
        cursor="pointer"
        fontWeight="500"
        fontSize="sm"
        mb="3"
        onClick={(event) => {
          event.preventDefault()
          setOpen(!isOpen)
        }}
      >
        {t('channels.advanced')}
      </chakra.summary>
      <Stack gap="4">
        <SuggestedField
          label={t('channels.testModel')}
          {...form.text('testModel')}
          choices={values.models.map(named)}
          help={t('channels.testModelHelp')}
        />
        {JSON_FIELDS.map((field) => (
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
    </chakra.details>
  )
}
