/** Marks a file as ours in its header (`PRAGMA application_id`): "Parl". */
export const applicationId = 0x5061726c

/** States that end a task, as SQL; equal in queries and in the partial index that serves them. */
export const endedSql = 'state in (3, 4, 5, 7)'

/** `seq` and `status` are numbers of entries: of the last one, and of the one that set the status (0: none did). */
const first = `
create table scope (
  key integer primary key,
  agent text not null,
  tenant text not null,
  owner text not null
) strict;
create unique index scope_name on scope (agent, tenant, owner);

create table task (
  key integer primary key,
  scope integer not null,
  id text not null,
  context text not null,
  state integer not null,
  time integer not null,
  seq integer not null,
  status integer not null,
  holder integer,
  dropped integer not null default 0,
  metadata text
) strict;
create unique index task_id on task (id, scope);
create index task_time on task (scope, time);
create index task_state on task (scope, state, time);
create index task_context on task (scope, context, time);
create index task_held on task (holder) where holder is not null;
create index task_replay on task (time) where dropped = 0 and ${endedSql};

create table message (
  id integer primary key,
  text text not null
) strict;

create table status (
  id integer primary key,
  state integer not null,
  time integer not null,
  metadata text
) strict;

create table chunk (
  id integer primary key,
  artifact integer not null,
  flags integer not null,
  head text,
  metadata text,
  parts text not null
) strict;
create index chunk_head on chunk (id) where head is not null;

create table counter (
  scope integer not null,
  span integer not null,
  bucket integer not null,
  state integer not null,
  number integer not null,
  primary key (scope, span, bucket, state)
) strict, without rowid;

create table answer (
  key integer primary key,
  scope integer not null,
  name text not null,
  digest text not null,
  time integer not null,
  task integer,
  text text
) strict;
create unique index answer_name on answer (scope, name);
create index answer_task on answer (task) where task is not null;

create table process (
  id integer primary key autoincrement,
  pid integer not null,
  host text not null,
  namespace text not null,
  start text not null,
  heartbeat integer not null
) strict;
`

/**
 * A task whose holder handed it over is held by 0, which no process is. `fence` rises with each hold; mail in hand carries that of its hold.
 * An answer with a process is still to come from it.
 */
const second = `
alter table task add column waiting integer not null default 0;
alter table task add column fence integer not null default 0;

create table mail (
  id integer primary key autoincrement,
  task integer not null,
  kind text not null,
  text text not null,
  time integer not null,
  fence integer,
  seq integer,
  started integer,
  outcome text
) strict;
create index mail_task on mail (task);
create index mail_open on mail (id) where outcome is null;

alter table answer add column process integer;
`

/** What leads from each version of the schema (`PRAGMA user_version`) to the next, from an empty file on. */
export const migrations: readonly string[] = [first, second]
