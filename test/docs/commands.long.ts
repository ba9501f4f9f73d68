/** The pages whose commands take long. */
import { SLOW_PAGES } from './pages';
import { testPages } from './run-pages';

testPages(SLOW_PAGES);
