import { schema } from './generated/v1/schema.ts'
import { mayBeEmpty, type Tables } from './schema.ts'

/** The tables of 1.0. */
export const tables: Tables = {
  schema,
  mayBeEmpty,
  // Names of old that are still read in place of a field's own (§5.5 shows the first of these).
  aliases: {
    'SendMessageConfiguration.taskPushNotificationConfig': ['pushNotificationConfig', 'push_notification_config'],
  },
  // Query names that other clients use.
  queryAliases: { lastUpdatedAfter: 'statusTimestampAfter', last_updated_after: 'statusTimestampAfter' },
}
