export { type AgentDescription, type CardOptions, defineCard, joinCapabilities } from './define.ts'
