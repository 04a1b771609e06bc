// SPDX-License-Identifier: Apache-2.0
/// A strict reader of small XML documents, so that tests see drawings as browsers do.
#pragma once

#include <cctype>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace assay::xml {

struct Element {
  std::string name;
  std::map<std::string, std::string> attributes{};
  std::string text{};  ///< directly within, entities resolved

  bool has(const std::string& key, std::string_view value) const {
    const auto found = attributes.find(key);
    return found != attributes.end() && found->second == value;
  }
  double number(const std::string& key) const { return std::stod(attributes.at(key)); }
};

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  /// All elements in the order of their starts. Throws std::runtime_error on what is not XML.
  std::vector<Element> read() {
    if (rest_.starts_with("<?xml")) rest_.remove_prefix(rest_.find("?>") + 2);
    while (!rest_.empty()) rest_.front() == '<' ? tag() : words();
    require(open_.empty() && !elements_.empty(), "an element is not closed");
    return elements_;
  }

 private:
  static void require(bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error("not XML: " + what);
  }

  static std::string resolved(std::string_view text) {
    static const std::map<std::string, std::string, std::less<>> entities = {
        {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"#39", "'"}};
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      require(text[i] != '<', "a bare '<'");
      require(static_cast<unsigned char>(text[i]) >= 0x20 || std::isspace(text[i]) != 0,
              "a control character");
      if (text[i] != '&') {
        out += text[i];
        continue;
      }
      const std::size_t end = text.find(';', i);
      require(end != std::string_view::npos, "a bare '&'");
      const auto entity = entities.find(text.substr(i + 1, end - i - 1));
      require(entity != entities.end(), "an unknown entity");
      out += entity->second;
      i = end;
    }
    return out;
  }

  void words() {
    const std::size_t end = std::min(rest_.find('<'), rest_.size());
    const std::string text = resolved(rest_.substr(0, end));
    if (!open_.empty()) elements_[open_.back()].text += text;
    rest_.remove_prefix(end);
  }

  void tag() {
    const std::size_t end = rest_.find('>');
    require(end != std::string_view::npos, "an open tag");
    std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    if (inside.starts_with('/')) {
      require(!open_.empty() && elements_[open_.back()].name == inside.substr(1), "wrong nesting");
      open_.pop_back();
      return;
    }
    const bool is_empty = inside.ends_with('/');
    if (is_empty) inside.remove_suffix(1);
    open_.push_back(elements_.size());
    elements_.push_back(element(inside));
    if (is_empty) open_.pop_back();
  }

  static Element element(std::string_view inside) {
    const std::size_t name_end = std::min(inside.find(' '), inside.size());
    Element out = {.name = std::string(inside.substr(0, name_end))};
    require(!out.name.empty(), "an element without a name");
    inside.remove_prefix(name_end);
    while (!inside.empty()) {
      require(inside.front() == ' ', "no blank before an attribute");
      const std::size_t equals = inside.find("=\"");
      require(equals != std::string_view::npos, "an attribute without value");
      const std::size_t end = inside.find('"', equals + 2);
      require(end != std::string_view::npos, "an open value");
      const bool fresh = out.attributes
                             .emplace(inside.substr(1, equals - 1),
                                      resolved(inside.substr(equals + 2, end - equals - 2)))
                             .second;
      require(fresh, "an attribute twice");
      inside.remove_prefix(end + 1);
    }
    return out;
  }

  std::string_view rest_;
  std::vector<Element> elements_{};
  std::vector<std::size_t> open_{};
};

inline std::vector<Element> elements(std::string_view text) {
  return Reader(text).read();
}

/// Those with that class.
inline std::vector<Element> of_class(std::string_view text, std::string_view css) {
  std::vector<Element> out;
  for (Element& element : elements(text))
    if (element.has("class", css)) out.push_back(std::move(element));
  return out;
}

}  // namespace assay::xml
