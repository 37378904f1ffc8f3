import { A2AError } from '../protocol/errors.ts'
import type { Scope } from './store.ts'

/** How many runs may be at work at once in this process, and how many may wait for that. */
export interface AdmissionLimits {
  readonly runs: number
  readonly runsPerTenant?: number
  readonly runsPerOwner?: number
  readonly waiting: number
}

/** A run's place among those at work, or among those that wait. */
export interface Place {
  readonly waiting: boolean
  /** Gives the place back; the next one that waits begins. */
  leave(): void
}

/** Those of one owner. */
interface Lane {
  readonly tenant: Tenant
  readonly owner: string
  running: number
  /** First come, first served. */
  readonly places: Set<Ticket>
}

interface Tenant {
  readonly name: string
  running: number
  readonly lanes: Map<string, Lane>
  /** Lanes where somebody waits and may begin; the first is next. */
  readonly ready: Set<Lane>
}

/**
 * Lets runs begin as long as there is room. Those that wait begin in turn: one of each tenant, and within a tenant one of each owner, so that
 * whoever brings many keeps nobody else waiting for all of them.
 */
export class Admission {
  readonly #limits: AdmissionLimits
  /** Whether it has to be known whose runs are at work. */
  readonly #counted: boolean
  readonly #tenants = new Map<string, Tenant>()
  /** Tenants of which somebody waits and may begin; the first is next. */
  readonly #ready = new Set<Tenant>()
  #running = 0
  #waiting = 0

  constructor(limits: AdmissionLimits) {
    this.#limits = limits
    this.#counted = limits.runsPerTenant !== undefined || limits.runsPerOwner !== undefined
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting
  }

  /**
   * Takes a place: `begin` is called at once when there is room, else later. Throws ResourceExhausted when too many wait already, unless what
   * is to run has been acknowledged.
   */
  enter(scope: Scope, begin: () => void, { acknowledged = false }: { acknowledged?: boolean | undefined } = {}): Place {
    const room = this.#running < this.#limits.runs
    if (room && !this.#counted) {
      const ticket = new Ticket(this, begin)
      this.#start(ticket)
      return ticket
    }
    const lane = this.#lane(scope)
    const ticket = new Ticket(this, begin, lane)
    if (room && this.#open(lane)) {
      this.#start(ticket)
      return ticket
    }
    if (!acknowledged && this.#waiting >= this.#limits.waiting) {
      this.#forget(lane)
      const text = `${this.#waiting} runs wait for a place already; try again later`
      throw new A2AError('ResourceExhausted', text, { retryAfter: 5 })
    }
    ticket.waiting = true
    lane.places.add(ticket)
    this.#waiting += 1
    this.#line(lane)
    return ticket
  }

  /** Called by a ticket, once. */
  leave(ticket: Ticket): void {
    const { lane } = ticket
    if (ticket.waiting) {
      this.#waiting -= 1
      lane?.places.delete(ticket)
    } else {
      this.#running -= 1
      if (lane !== undefined && this.#counted) {
        lane.running -= 1
        lane.tenant.running -= 1
      }
    }
    if (lane !== undefined) this.#forget(lane)
    this.#next()
  }

  #start(ticket: Ticket): void {
    const { lane } = ticket
    this.#running += 1
    if (lane !== undefined && this.#counted) {
      lane.running += 1
      lane.tenant.running += 1
    }
    ticket.begin()
  }

  #next(): void {
    while (this.#running < this.#limits.runs) {
      const [tenant] = this.#ready
      if (tenant === undefined) return
      const [lane] = tenant.ready
      const [ticket] = lane?.places ?? []
      if (lane === undefined || ticket === undefined) return
      this.#ready.delete(tenant)
      tenant.ready.delete(lane)
      lane.places.delete(ticket)
      this.#waiting -= 1
      ticket.waiting = false
      this.#start(ticket)
      this.#line(lane)
    }
  }

  /** Puts a lane in line behind the others, if somebody waits there who may begin. */
  #line(lane: Lane): void {
    const { tenant } = lane
    if (lane.places.size > 0 && this.#below(lane.running, this.#limits.runsPerOwner)) tenant.ready.add(lane)
    else tenant.ready.delete(lane)
    if (tenant.ready.size > 0 && this.#below(tenant.running, this.#limits.runsPerTenant)) this.#ready.add(tenant)
    else this.#ready.delete(tenant)
  }

  #open({ running, tenant }: Lane): boolean {
    return this.#below(running, this.#limits.runsPerOwner) && this.#below(tenant.running, this.#limits.runsPerTenant)
  }

  #below(count: number, limit: number | undefined): boolean {
    return limit === undefined || count < limit
  }

  #lane({ tenant: name, owner }: Scope): Lane {
    let tenant = this.#tenants.get(name)
    if (tenant === undefined) {
      tenant = { name, running: 0, lanes: new Map(), ready: new Set() }
      this.#tenants.set(name, tenant)
    }
    let lane = tenant.lanes.get(owner)
    if (lane === undefined) {
      lane = { tenant, owner, running: 0, places: new Set() }
      tenant.lanes.set(owner, lane)
    }
    return lane
  }

  #forget(lane: Lane): void {
    this.#line(lane)
    if (lane.running > 0 || lane.places.size > 0) return
    const { tenant } = lane
    if (tenant.lanes.get(lane.owner) === lane) tenant.lanes.delete(lane.owner)
    if (tenant.lanes.size === 0 && this.#tenants.get(tenant.name) === tenant) this.#tenants.delete(tenant.name)
  }
}

class Ticket implements Place {
  readonly begin: () => void
  readonly lane: Lane | undefined
  waiting = false
  readonly #admission: Admission
  #left = false

  constructor(admission: Admission, begin: () => void, lane?: Lane) {
    this.#admission = admission
    this.begin = begin
    this.lane = lane
  }

  leave(): void {
    if (this.#left) return
    this.#left = true
    this.#admission.leave(this)
  }
}
