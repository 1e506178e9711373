//! How each public function treats a knowledge base on another node.

/// How a function treats other nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The call is made on the node of the base. Lists that name no base are those of all nodes. Searches, kb_browse, kb_stats, kb_tools and
    /// kb_call_tool over several nodes ask each of them for its part; kb_read, kb_delete and kb_refresh ask which has the document.
    Shipped,
    /// It works on all nodes, or on those that have bases of the agent.
    OnAllNodes,
    /// It works on this node: it has no base, or is for the bases here. kb_retrieve reads a table of this node, or an endpoint.
    Local,
    /// 55000 for a base on another node: kb_attach, kb_detach and kb_import take a table of the base's node, whose name would mean
    /// another table there, or none; kb_expose makes a view, which is read by name on its node.
    Elsewhere,
}

/// All public functions and procedures, ordered by name. `glue` compares them with the catalog.
pub const FUNCTIONS: [(&str, Way); 75] = [
    ("kb_add", Way::Shipped),
    ("kb_add_file", Way::Shipped),
    ("kb_add_output", Way::Shipped),
    ("kb_add_url", Way::Shipped),
    ("kb_adopt", Way::Local),
    ("kb_agent", Way::Local),
    ("kb_agent_configure", Way::OnAllNodes),
    ("kb_agent_drop", Way::OnAllNodes),
    ("kb_agent_list", Way::Shipped),
    ("kb_attach", Way::Elsewhere),
    ("kb_attach_agent", Way::Shipped),
    ("kb_browse", Way::Shipped),
    ("kb_call_tool", Way::Shipped),
    ("kb_check_search", Way::Local),
    ("kb_chunk", Way::Local),
    ("kb_cluster_setup", Way::OnAllNodes),
    ("kb_compare", Way::Shipped),
    ("kb_configure", Way::Shipped),
    ("kb_context", Way::Shipped),
    ("kb_create", Way::Local),
    ("kb_delete", Way::Shipped),
    ("kb_delete_where", Way::Shipped),
    ("kb_detach", Way::Elsewhere),
    ("kb_detach_agent", Way::Shipped),
    ("kb_drop", Way::Shipped),
    ("kb_embed", Way::Local),
    ("kb_embed_batch", Way::Local),
    ("kb_estimate", Way::Shipped),
    ("kb_evaluate", Way::Shipped),
    ("kb_evaluate_questions", Way::Shipped),
    ("kb_explain", Way::Shipped),
    ("kb_expose", Way::Elsewhere),
    ("kb_extract", Way::Local),
    ("kb_grant", Way::Shipped),
    ("kb_grant_admin", Way::OnAllNodes),
    ("kb_highlight", Way::Local),
    ("kb_hybrid_search", Way::Shipped),
    ("kb_import", Way::Elsewhere),
    ("kb_lexemes", Way::Local),
    ("kb_list", Way::OnAllNodes),
    ("kb_prompt_list", Way::Local),
    ("kb_prompt_set", Way::Local),
    ("kb_provider_drop", Way::Local),
    ("kb_provider_grant", Way::Local),
    ("kb_provider_list", Way::Local),
    ("kb_provider_revoke", Way::Local),
    ("kb_provider_set", Way::Local),
    ("kb_provider_test", Way::Local),
    ("kb_question_add", Way::Shipped),
    ("kb_question_draft", Way::Shipped),
    ("kb_read", Way::Shipped),
    ("kb_reconcile", Way::Shipped),
    ("kb_refresh", Way::Shipped),
    ("kb_reindex", Way::Shipped),
    ("kb_rename", Way::Shipped),
    ("kb_retrieve", Way::Local),
    ("kb_retry", Way::Shipped),
    ("kb_revoke", Way::Shipped),
    ("kb_revoke_admin", Way::OnAllNodes),
    ("kb_rewrite_query", Way::Local),
    ("kb_search", Way::Shipped),
    ("kb_search_documents", Way::Shipped),
    ("kb_secret_drop", Way::Local),
    ("kb_secret_set", Way::Local),
    ("kb_snippets", Way::Shipped),
    ("kb_source_drop", Way::Local),
    ("kb_source_list", Way::Shipped),
    ("kb_source_sync", Way::Local),
    ("kb_stats", Way::Shipped),
    ("kb_suggest", Way::Shipped),
    ("kb_tools", Way::Shipped),
    ("kb_tools_config", Way::OnAllNodes),
    ("kb_warm_query", Way::Shipped),
    ("kb_work", Way::Local),
    ("match_knowledge_chunks", Way::Shipped),
];

/// How the function of this name treats other nodes.
pub fn way(function: &str) -> Option<Way> {
    let place = FUNCTIONS.binary_search_by_key(&function, |(name, _)| name).ok()?;
    FUNCTIONS.get(place).map(|(_, way)| *way)
}
