import { clusterOf, type Cluster as Processes } from '../src/stores/testing-cluster.ts'
import { memoryDatabase, postgresDatabase, sqliteDatabase, type TestDatabase } from '../src/stores/testing-databases.ts'
import { onCleanup, type StoreKind, storeKinds } from './harness.ts'

/** Several processes on one database. */
export interface Cluster extends Processes {
  readonly kind: StoreKind
}

/** The databases that tests with several processes run over. */
export const clusterKinds: readonly StoreKind[] = storeKinds

const databases: { readonly [kind in StoreKind]: () => TestDatabase } = {
  memory: memoryDatabase,
  sqlite: sqliteDatabase,
  postgres: postgresDatabase,
}

/** An empty database of one kind; its stores are closed after the test. */
export async function openCluster(kind: StoreKind): Promise<Cluster> {
  const database = databases[kind]()
  onCleanup(database.dispose)
  const cluster = clusterOf(database)
  onCleanup(cluster.close)
  return { ...cluster, kind }
}
