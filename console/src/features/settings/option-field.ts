/** How one option is edited and what the form checks before the server does. */
export type OptionField =
  | { readonly kind: 'switch'; readonly key: string; readonly name: FieldName }
  | { readonly kind: 'text' | 'lines'; readonly key: string; readonly name: FieldName }
  | {
      readonly kind: 'number'
      readonly key: string
      readonly name: FieldName
      readonly isWhole: boolean
      readonly min: number
      readonly max?: number
      /** The value is an amount of quota: the form shows what it is in currency. */
      readonly isQuota?: boolean
    }
  | {
      readonly kind: 'choice'
      readonly key: string
      readonly name: FieldName
      readonly choices: readonly ['hour', 'day', 'week']
    }

/** The names of the fields, as the texts of the console know them. */
export type FieldName =
  | 'topUpLink'
  | 'contactImage'
  | 'docsLink'
  | 'quotaPerUnit'
  | 'retryTimes'
  | 'displayInCurrency'
  | 'displayTokenStat'
  | 'collapseSidebar'
  | 'demoSite'
  | 'selfUse'
  | 'quotaForNewUser'
  | 'preConsumedQuota'
  | 'quotaForInviter'
  | 'quotaForInvitee'
  | 'disableThreshold'
  | 'remindThreshold'
  | 'autoDisable'
  | 'autoEnable'
  | 'disableKeywords'
  | 'logConsume'
  | 'dataExport'
  | 'exportInterval'
  | 'exportDefaultTime'

/** The groups of options that are saved together. */
export type SectionName = 'general' | 'quota' | 'monitoring' | 'log' | 'dashboard'

/** The operation settings, in the order in which they are shown. */
export const SECTIONS: Readonly<Record<SectionName, readonly OptionField[]>> = {
  general: [
    { kind: 'text', key: 'TopUpLink', name: 'topUpLink' },
    { kind: 'text', key: 'ContactImageURL', name: 'contactImage' },
    { kind: 'text', key: 'general_setting.docs_link', name: 'docsLink' },
    { kind: 'number', key: 'QuotaPerUnit', name: 'quotaPerUnit', isWhole: false, min: 0 },
    { kind: 'number', key: 'RetryTimes', name: 'retryTimes', isWhole: true, min: 0, max: 10 },
    { kind: 'switch', key: 'DisplayInCurrencyEnabled', name: 'displayInCurrency' },
    { kind: 'switch', key: 'DisplayTokenStatEnabled', name: 'displayTokenStat' },
    { kind: 'switch', key: 'DefaultCollapseSidebar', name: 'collapseSidebar' },
    { kind: 'switch', key: 'DemoSiteEnabled', name: 'demoSite' },
    { kind: 'switch', key: 'SelfUseModeEnabled', name: 'selfUse' },
  ],
  quota: [
    quotaField('QuotaForNewUser', 'quotaForNewUser'),
    {
      // Counted in tokens of output, whatever its name says.
      kind: 'number',
      key: 'PreConsumedQuota',
      name: 'preConsumedQuota',
      isWhole: true,
      min: 0,
      max: 10_000_000,
    },
    quotaField('QuotaForInviter', 'quotaForInviter'),
    quotaField('QuotaForInvitee', 'quotaForInvitee'),
  ],
  monitoring: [
    {
      kind: 'number',
      key: 'ChannelDisableThreshold',
      name: 'disableThreshold',
      isWhole: false,
      min: 0,
    },
    quotaField('QuotaRemindThreshold', 'remindThreshold'),
    { kind: 'switch', key: 'AutomaticDisableChannelEnabled', name: 'autoDisable' },
    { kind: 'switch', key: 'AutomaticEnableChannelEnabled', name: 'autoEnable' },
    { kind: 'lines', key: 'AutomaticDisableKeywords', name: 'disableKeywords' },
  ],
  log: [{ kind: 'switch', key: 'LogConsumeEnabled', name: 'logConsume' }],
  dashboard: [
    { kind: 'switch', key: 'DataExportEnabled', name: 'dataExport' },
    { kind: 'number', key: 'DataExportInterval', name: 'exportInterval', isWhole: true, min: 1 },
    {
      kind: 'choice',
      key: 'DataExportDefaultTime',
      name: 'exportDefaultTime',
      choices: ['hour', 'day', 'week'],
    },
  ],
}

function quotaField(key: string, name: FieldName): OptionField {
  return { kind: 'number', key, name, isWhole: true, min: 0, isQuota: true }
}
