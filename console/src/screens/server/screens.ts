/** The screens of the server, which load together. */
export { OpenJobsScreen } from './open-jobs-screen';
export { SearchesScreen } from './searches-screen';
export { ServerScreen } from './server-screen';
export { SettingsInForceScreen } from './settings-screen';
export { AllSubscriptionsScreen } from './all-subscriptions-screen';
