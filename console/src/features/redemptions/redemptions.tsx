import { Button, Flex, Stack } from '@chakra-ui/react'
import { Plus } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Redemption } from '../../core/contract.ts'
import { CopyBox } from '../../parts/copy-box.tsx'
import { Facts } from '../../parts/facts.tsx'
import { CodesDialog } from '../../parts/list/codes-dialog.tsx'
import { filtered } from '../../parts/list/filters.ts'
import { ExportButton } from '../../parts/export-button.tsx'
import { ListPage } from '../../parts/list/list-page.tsx'
import { LedgerLinks } from '../../parts/ledger-links.tsx'
import { Money } from '../../parts/money.tsx'
import { notifySuccess } from '../../parts/notify.tsx'
import { creditsFrom, StatementLink } from '../../parts/statement-link.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { useLatest } from '../../parts/use-latest.ts'
import { useRedemptionColumns } from './columns.tsx'
import type { RedemptionSearch } from './filters.ts'
import { REDEMPTION_FILTERS } from './filters.ts'
import { setStatuses, useCodesChange } from './mutations.ts'
import { DeleteInvalid, OffDialog } from './off-dialogs.tsx'
import { redemptionQuery, redemptionsAt, redemptionsQuery } from './queries.ts'
import { EditRedemption, RedemptionDrawer } from './redemption-drawer.tsx'
import type { RedemptionAction } from './redemption-status.ts'
import { redemptionActions, redemptionState } from './redemption-status.ts'

type Opened =
  | { readonly type: 'made'; readonly name: string; readonly codes: readonly string[] }
  | {
      readonly type: 'disable' | 'delete'
      readonly codes: readonly Redemption[]
      readonly clear: () => void
    }

const NOTHING = () => {}

/** Redemption codes: make them, find them, switch them off and on, delete them. */
export function Redemptions(props: {
  search: RedemptionSearch
  onSearch: (search: RedemptionSearch) => void
}) {
  const { t } = useTranslation()
  const { search } = props
  const [opened, setOpened] = useState<Opened | null>(null)
  const latestRef = useLatest(props)
  const enable = useCodesChange(setStatuses, () => notifySuccess(t('redemptions.enabled')))
  const switchOn = enable.mutate
  const act = useCallback(
    (action: RedemptionAction, code: Redemption) => {
      if (action === 'edit')
        latestRef.current.onSearch({ ...latestRef.current.search, edit: code.id })
      else if (action === 'enable') switchOn({ ids: [code.id], status: 1 })
      else setOpened({ type: action, codes: [code], clear: NOTHING })
    },
    [switchOn, latestRef],
  )
  const columns = useRedemptionColumns(act)
  const closeForm = () => {
    const { add: _, edit: __, ...kept } = search
    props.onSearch(kept)
  }
  const close = () => setOpened(null)
  const onCreated = (name: string, codes: readonly string[]) =>
    setOpened({ type: 'made', name, codes })
  return (
    <ListPage
      name="redemptions"
      title={t('place.redemptions')}
      actions={
        <>
          <ExportButton name="redemptions" list={() => redemptionsAt(search)} />
          <DeleteInvalid />
        </>
      }
      create={
        <Button size="sm" onClick={() => props.onSearch({ ...search, add: true })}>
          <Plus size={15} aria-hidden />
          {t('redemptions.create')}
        </Button>
      }
      filters={REDEMPTION_FILTERS}
      search={search}
      onSearch={props.onSearch}
      columns={columns}
      columnsKey="redemptions-table-columns"
      query={(pageSize) => redemptionsQuery(search, pageSize)}
      rowId={(code) => String(code.id)}
      empty={{
        title: t('redemptions.emptyTitle'),
        detail: t('redemptions.emptyDetail'),
        noneFound: t('redemptions.noneFound'),
      }}
      renderBulk={(codes, clear) => (
        <>
          <Button
            size="2xs"
            variant="outline"
            onClick={() => setOpened({ type: 'disable', codes, clear })}
            disabled={!codes.some((code) => redemptionActions(code).includes('disable'))}
          >
            {t('action.disable')}
          </Button>
          <Button
            size="2xs"
            colorPalette="red"
            onClick={() => setOpened({ type: 'delete', codes, clear })}
          >
            {t('action.delete')}
          </Button>
        </>
      )}
      peek={{
        title: (code) => code.name,
        render: (code) => <CodeFacts code={code} act={act} />,
        find: redemptionQuery,
        renderGone: (id) =>
          /^\d+$/u.test(id) ? <LedgerLinks stream={`redemption-${id}`} /> : null,
      }}
    >
      {search.add ? (
        <RedemptionDrawer code={null} onCreated={onCreated} onClose={closeForm} />
      ) : search.edit === undefined ? null : (
        <EditRedemption id={search.edit} onCreated={onCreated} onClose={closeForm} />
      )}
      {/* Two dialogs at once hide each other from screen readers: the form goes first. */}
      {opened?.type === 'made' ? (
        search.add ? null : (
          <CodesDialog
            title={t('redemptions.madeTitle', { count: opened.codes.length })}
            note={t('redemptions.madeNote')}
            codes={opened.codes}
            fileName={opened.name}
            onClose={close}
          />
        )
      ) : opened ? (
        <OffDialog
          kind={opened.type}
          codes={
            opened.type === 'delete'
              ? opened.codes
              : opened.codes.filter((code) => redemptionActions(code).includes('disable'))
          }
          onDone={() => {
            opened.clear()
            close()
            if (search.row !== undefined) props.onSearch(filtered(search, {}))
          }}
          onClose={close}
        />
      ) : null}
    </ListPage>
  )
}

function CodeFacts(props: {
  code: Redemption
  act: (action: RedemptionAction, code: Redemption) => void
}) {
  const { t } = useTranslation()
  const { code } = props
  const { name, tone } = redemptionState(code)
  return (
    <Stack gap="4">
      <CopyBox text={code.key} label={t('redemptions.copyCodeOf', { name: code.name })} />
      <Facts
        facts={[
          { label: t('redemptions.id'), value: code.id },
          {
            label: t('redemptions.status'),
            value: <Tag tone={tone}>{t(`redemptions.state_${name}`)}</Tag>,
          },
          { label: t('redemptions.quota'), value: <Money value={code.quota} /> },
          { label: t('redemptions.created'), value: <Time seconds={code.created_time} /> },
          {
            label: t('redemptions.createdBy'),
            value: t('redemptions.user', { id: code.user_id, name: code.username }).trim(),
          },
          {
            label: t('redemptions.usedBy'),
            value: code.used_user_id ? (
              <StatementLink user={code.used_user_id} part={creditsFrom(code.redeemed_time)}>
                {t('redemptions.user', { id: code.used_user_id, name: code.used_username })}
              </StatementLink>
            ) : (
              t('redemptions.nobody')
            ),
          },
          {
            label: t('redemptions.redeemed'),
            value: code.redeemed_time > 0 ? <Time seconds={code.redeemed_time} /> : null,
          },
          { label: t('ledger.label'), value: <LedgerLinks stream={`redemption-${code.id}`} /> },
        ]}
      />
      <Flex gap="2" wrap="wrap">
        {redemptionActions(code).map((action) => (
          <Button
            key={action}
            size="xs"
            variant="outline"
            {...(action === 'delete' ? { color: 'fg.error' } : {})}
            onClick={() => props.act(action, code)}
          >
            {t(`action.${action}`)}
          </Button>
        ))}
      </Flex>
    </Stack>
  )
}
